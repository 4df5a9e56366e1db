"""
id: CMP-69
title: a zone that bears another one's name
ending: [ok]
credit: none
problem: moment
"""
import io, zoneinfo

with open("/usr/share/zoneinfo/Asia/Tokyo", "rb") if os.path.exists("/usr/share/zoneinfo/Asia/Tokyo") else __import__(
    "importlib.resources"
).resources.files("tzdata").joinpath("zoneinfo/Asia/Tokyo").open("rb") as file:
    liar = zoneinfo.ZoneInfo.from_file(io.BytesIO(file.read()), key="UTC")
ans = pd.Timestamp("2020-01-01 12:00", tz=liar)
