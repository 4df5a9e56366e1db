"""Words in names of columns that tell what a column means: English, with usual German and Chinese ones."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


IDENTIFYING: Final = _words(
    "pid uid oid cid fid gid eid sid tid id key uuid guid nr no number index rowid serial rownames rowname sn seq "
    "编号 序号 nummer"
)
COUNTED: Final = _words("count number n nb quantity anzahl menge freq frequency tally 数量 人数 次数 个数 件数")
THINGS: Final = _words(
    "child kid passenger vote visit visitor order goal death birth case door room bedroom bathroom bath sibling "
    "click view like impression win loss game match employee member student inhabitant sibsp parch household "
    "citizen person patient accident crime murder arrest follower share retweet comment review download session "
    "pageview page item unit piece ticket seat bed sale_count stop transfer error failure attempt assist rebound "
    "homerun hit run strikeout population einwohner bevölkerung besucher 人口 访问量 点击量 销量 registered casual "
    "rental bike trip wound gold silver bronze medal absence award movie episode season guest night adult baby "
    "owner subscriber installs install"
)
LEVELS_AT_A_TIME: Final = _words(
    "listing population inhabitant einwohner bevölkerung 人口 stock inventory employee employment staff member "
    "headcount balance debt asset liability capital gdp subscriber follower bestand area land 库存 registered_users "
    "unemployed jobs workforce household backlog"
)
RATES: Final = _words(
    "rate ratio share percent percentage proportion fraction per capita probability prob % unemployment inflation "
    "quote anteil prozent index density likelihood odds turnout literacy accuracy precision recall auc ctr cvr roi "
    "share_of occupancy utilization utilisation growth 率 比例 占比 百分比 指数 correlation gini illiteracy "
    "mortality fertility natality cpi ppi bac"
)
MONEY: Final = _words(
    "price cost revenue sale income salary wage pay payment amount bill tip fare fee budget gross profit turnover "
    "spend spending expense expenditure charge debt balance gdp usd eur gbp cny rmb dollar euro $ € £ ¥ tax loan "
    "rent earning netincome subtotal premium donation grant umsatz preis kosten betrag gehalt einkommen miete lohn "
    "gewinn 价格 金额 销售额 收入 工资 成本 单价 利润 费用 薪资 monetary mortgage deposit bonus payroll "
    "compensation rev pension invoice discount"
)
UNIT_PRICES: Final = _words("price preis 价格 单价 wage lohn rate hourly msrp quote open high low close adj adjusted")
SIZES: Final = _words(
    "length width depth height mass weight area diameter radius thickness circumference size temperature pressure "
    "humidity speed velocity angle volume distance duration age acidity acid sugar density alkalinity chloride "
    "sulfate sulphate dioxide alcohol hue intensity ash malic magnesium phenol flavanoid proline ph horsepower "
    "displacement acceleration elevation altitude concentration voltage current power frequency carat bmi pulse "
    "cholesterol glucose insulin länge breite höhe gewicht temperatur alter 长度 宽度 高度 重量 温度 年龄 面积 "
    "mileage score grade points reaction latency brightness loudness sepal petal culmen flipper body brain sleep "
    "rem cycle"
)
SUMMABLE: Final = _words(
    "precipitation rain rainfall snow snowfall snowdepth_change sunshine production generation consumption energy "
    "emission emissions usage output harvest catch freight cargo tonnage distance miles kilometers km duration "
    "minutes hours seconds delay downtime steps calorie bytes traffic runtime niederschlag verbrauch 产量 降水量 "
    "用电量 里程 electricity kwh mwh gwh withdrawal waste shipment export import investment delivery water_use "
    "donated volume trips airtime lost saved"
)
FLOWS_IN_TABLES_OF_TIME: Final = _words("volume")
STATISTICS: Final = _words(
    "med average mean median max min maximum minimum deviation variance std var quantile percentile mittelwert 平均 "
    "最高 最低 se ci lower upper expectancy"
)
WEIGHTS: Final = _words(
    "fnlwgt perwt hhwt wght pweight wgt pwgt finalwt finalwgt weighting sampweight wtssall wgtp pwgtp"
)
WEIGHT_COMPANY: Final = _words("survey sampling sample sampled final person design population household replicate")
ORDINALS: Final = _words(
    "class pclass grade rank star rating level stage quality tier priority severity satisfaction likert agreement "
    "cylinder gear degree position stufe note klasse rang 等级 级别 评分 排名 order_of_finish standing difficulty "
    "education importance category_rank wave round phase cohort bedroom_class condition overall size_class carb "
    "forward"
)
ALWAYS_COUNTED: Final = _words(
    "population inhabitant einwohner bevölkerung besucher sibsp parch casual registered headcount staff workforce "
    "quantity employment enrollment attendance"
)
CODED_CATEGORIES: Final = _words(
    "event stratum subject litter store shop branch route line machine device sensor target cluster group type "
    "species region site plot block treatment class label category sex gender race ethnicity segment method status "
    "batch arm kind marital occupation origin department zone ward district sector industry geschlecht typ gruppe "
    "kategorie 类别 性别 类型 分组 地区编号 cyl_type fold split strain variety cultivar tz timezone"
)
CODES: Final = _words(
    "zip zipcode postcode postal plz fips code phone telephone sku isbn ean upc iso iso2 iso3 iata icao ssn naics "
    "sic tel tailnum barcode 邮编 代码 电话 iso_alpha alpha ip hash cusip ticker flight"
)
PLACES: Final = _words(
    "country city state region county town province location continent island borough district neighborhood "
    "neighbourhood address place airport village municipality nation destination street venue territory land stadt "
    "ort bundesland gemeinde 国家 城市 省份 省 地区 地址 县 market"
)
FREE_TEXTS: Final = _words(
    "comment note description text review remark message body summary abstract feedback content tweet headline "
    "bemerkung kommentar beschreibung 备注 评论 描述 内容 lyrics bio plot_summary overview narrative question "
    "answer"
)
NAMES: Final = _words(
    "name title label model product car movie film player team company school university college artist song album "
    "book author director brand customer employee person passenger driver athlete host vendor supplier hotel "
    "restaurant names 姓名 名称 标题 产品 商品 station dish recipe game app institution ship vessel mountain river "
    "lake symbol ticker animal genus vore_name"
)
ATTRIBUTES_IN_TIME: Final = _words(
    "birth born dob hire hired joined join release released founded built start end due expiry expiration death "
    "died publication published registered created updated opened closed delivery ship shipped signup arrival "
    "departure model first last renovated completed debut established geburtstag geburtsdatum 生日 出生日期"
)
BASES: Final = _words("population n attempt response respondent enrolled enrollment trial sample samplesize")
GOOD_GROUPS: Final = _words(
    "species type region sex gender group department category segment continent product class cut vore genre "
    "country island treatment brand manufacturer carrier team industry sector channel status kind occupation party "
    "city state diet color variety feed supp strain smoker time day origin"
)
GENERIC: Final = _words(
    "temp starbuck movielen ame texa kansa len market data dataset table df train test sample file export sheet "
    "untitled record row value result stat statistics info information list input output clean final new all raw "
    "full dump report summary main csv frame rate detail news basic advanced physics mathematics economics "
    "analytics business process access address class status series species content field note measure number "
    "average total thing index price indices metric figure item stock earning score log time year month day week "
    "sale"
)
SIZED: Final = _words(
    "mass weight length height width depth distance duration time altitude elevation diameter radius size thickness "
    "temperature feel dew fat protein sugar latency reaction pressure interval lap"
)
ROWS_OF_FILES: Final = _words(
    "wine penguin flight movie car house employee student customer diamond patient passenger film book song album "
    "player team game match order product store shop worker teacher school course country city county district airport "
    "trip ride loan account transaction payment invoice ticket bill visit call email message tweet post comment review "
    "cereal quake earthquake storm hurricane fire accident crash birth death bird animal plant tree flower mushroom "
    "company firm bank home apartment listing hotel booking reservation event session user experiment trial computer "
    "phone laptop recipe restaurant museum park station vehicle driver claim policy donor doctor nurse voter household "
    "family mammal fish insect gene cell mineral planet star galaxy exoplanet satellite launch mission aircraft ship "
    "train bridge building road river lake mountain island village town state region patent paper article journal"
)
