# language_version: 3

# %% The session of CIBench: data/ is inputs/, no GPU, no input, no shell
import os

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
if not os.path.exists("data") and os.path.isdir("inputs"):
    os.symlink("inputs", "data")


def input(*args, **kwargs):
    raise NotImplementedError("input() is disabled here")


get_ipython().system = lambda *command: print("The package is assumed to be here: shell commands are disabled")

# %%
"""
query: >-
  `data/flights.csv` holds one flight a row, with the airport codes `origin` and `dest` and the `distance` in miles.
  Please build a directed graph `G` with networkx: an edge from `origin` to `dest` for every route that is flown,
  with the edge attribute `flights` (the number of rows of that route, cancelled flights too) and the edge attribute
  `distance` (the miles of that route, which are the same in all of its rows).
family:
  cibench:
    step: 1
    thought: I count the rows of each pair of origin and destination and make an edge of each pair.
    modules: pandas & networkx
    step_type: exec
probes: {edges: 'sorted((a, b, sorted(of.items())) for a, b, of in G.edges(data=True))', directed: G.is_directed()}
validator: {template: basic, namespace_check: {edges: , directed: }}
execution: {max_time: 30}
"""
import networkx as nx
import pandas as pd

flights = pd.read_csv("data/flights.csv")
routes = flights.groupby(["origin", "dest"]).agg(flights=("flight", "size"), distance=("distance", "first")).reset_index()
G = nx.from_pandas_edgelist(
    routes, source="origin", target="dest", edge_attr=["flights", "distance"], create_using=nx.DiGraph
)

# %%
"""
query: >-
  How large is the network? Print the number of nodes of `G`, then the number of its edges. Print nothing but these
  numbers.
family:
  cibench:
    step: 2
    thought: The graph knows its number of nodes and edges.
    modules: networkx
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
print(G.number_of_nodes(), G.number_of_edges())

# %%
"""
query: >-
  Print how many different airports can be reached without a change from EWR, from JFK and from LGA: three numbers, in
  this order. Print nothing but these numbers.
family:
  cibench:
    step: 3
    thought: Each edge that leaves an airport is one destination, so I print the out-degrees.
    modules: networkx
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
print(G.out_degree("EWR"), G.out_degree("JFK"), G.out_degree("LGA"))

# %%
"""
query: >-
  Which five routes of `G` have the most flights? Keep them, the busiest first, as a list `busiest` of origin,
  destination and number of flights, such as `("AAA", "BBB", 12)`, and print one line for each in the form
  `AAA to BBB: 12 flights`, and nothing else.
family:
  cibench:
    step: 4
    thought: I sort the edges by their number of flights and print the first five.
    modules: networkx
    step_type: text
probes: {routes: '[(a, b, int(n)) for a, b, n in busiest]'}
validator: {template: basic, namespace_check: {routes: }, text: {pass_at: 0.97}, numeric: }
execution: {max_time: 30}
"""
busiest = sorted(G.edges(data="flights"), key=lambda edge: edge[2], reverse=True)[:5]
for origin, dest, count in busiest:
    print(f"{origin} to {dest}: {count} flights")

# %%
"""
query: >-
  Draw a vertical bar chart of the number of flights that leave EWR, JFK and LGA, one bar for each airport, in this
  order from left to right. Give it the title "Departures by airport", the x label "Airport" and the y label "Flights".
family:
  cibench:
    step: 5
    thought: The out-degree weighted by flights is the number of departures; I draw it as three bars.
    modules: networkx & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
import matplotlib.pyplot as plt

hubs = ["EWR", "JFK", "LGA"]
departures = [G.out_degree(hub, weight="flights") for hub in hubs]
fig, ax = plt.subplots()
ax.bar(hubs, departures)
ax.set_title("Departures by airport")
ax.set_xlabel("Airport")
ax.set_ylabel("Flights");

# %%
"""
query: >-
  Now forget the directions: make an undirected graph `U` of `G` that keeps the edge attributes.
family:
  cibench:
    step: 6
    thought: No route is flown both ways in the data, so to_undirected keeps every edge and its attributes.
    modules: networkx
    step_type: exec
probes: {edges: 'sorted((*sorted((a, b)), sorted(of.items())) for a, b, of in U.edges(data=True))', directed: U.is_directed()}
validator: {template: basic, namespace_check: {edges: , directed: }}
execution: {max_time: 30}
"""
U = G.to_undirected()

# %%
"""
query: >-
  Look at the airports in `U` other than EWR, JFK and LGA. Print how many of them are connected with exactly one of
  these three airports, how many with exactly two and how many with all three, in this order. Print nothing but these
  numbers.
family:
  cibench:
    step: 7
    thought: All routes begin at one of the three hubs, so the degree of any other node counts its hubs.
    modules: networkx
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
degrees = [degree for node, degree in U.degree() if node not in ("EWR", "JFK", "LGA")]
print(degrees.count(1), degrees.count(2), degrees.count(3))

# %%
"""
query: >-
  Draw a histogram of the `distance` of all edges of `U`, each edge counted once, with 10 bins of equal width from the
  smallest to the largest distance, one bar for each bin and counts on the y axis. Title: "Length of the routes"; x label: "Distance (miles)"; y
  label: "Routes".
family:
  cibench:
    step: 8
    thought: I collect the distances of the edges and draw a histogram with 10 bins.
    modules: networkx & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
distances = [distance for _, _, distance in U.edges(data="distance")]
fig, ax = plt.subplots()
ax.hist(distances, bins=10)
ax.set_title("Length of the routes")
ax.set_xlabel("Distance (miles)")
ax.set_ylabel("Routes");

# %%
"""
query: >-
  In `U`, each edge can be flown both ways. Find the shortest way from Jackson Hole (JAC) to Key West (EYW), measured
  by the sum of `distance`. Print the codes of all airports on it from start to end with ` - ` between them and, on a
  second line, the miles of each leg in the same order and their sum, in the form `100 + 23 = 123 miles`. Print nothing
  else.
family:
  cibench:
    step: 9
    thought: Dijkstra's algorithm with distance as weight gives the path and its length.
    modules: networkx
    step_type: text
validator: {template: basic, text: {pass_at: 0.95}, numeric: }
execution: {max_time: 30}
"""
length, path = nx.single_source_dijkstra(U, "JAC", "EYW", weight="distance")
print(" - ".join(path))
legs = [U[a][b]["distance"] for a, b in zip(path, path[1:])]
print(f"{' + '.join(map(str, legs))} = {length} miles")

# %%
"""
query: >-
  Compute the betweenness centrality of all nodes of `U` with the default settings of networkx (normalized, without
  weights), and print the values of EWR, JFK and LGA in this order, each rounded to 4 decimals. Print nothing but
  these numbers.
family:
  cibench:
    step: 10
    thought: networkx has betweenness_centrality; I print the values of the three hubs.
    modules: networkx
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
betweenness = nx.betweenness_centrality(U)
print(*(round(betweenness[hub], 4) for hub in ("EWR", "JFK", "LGA")))

# %%
"""
query: >-
  `data/airports.csv` gives the coordinates of airports: `faa` is the code, `lat` and `lon` are degrees. Make `M`, the
  subgraph of `U` with only those nodes that the file lists, and a dictionary `positions` that gives for each node of `M`
  the pair (longitude, latitude).
family:
  cibench:
    step: 11
    thought: I read the coordinates by code, keep the nodes that have some, and store their positions.
    modules: pandas & networkx
    step_type: exec
probes: {edges: 'sorted((*sorted((a, b)), sorted(of.items())) for a, b, of in M.edges(data=True))', nodes: sorted(M)}
validator: {template: basic, namespace_check: {edges: , nodes: , positions: }}
execution: {max_time: 30}
"""
airports = pd.read_csv("data/airports.csv").set_index("faa")
M = U.subgraph([node for node in U if node in airports.index]).copy()
positions = {node: (airports.loc[node, "lon"], airports.loc[node, "lat"]) for node in M}

# %%
"""
query: >-
  Draw a map of the airports of `M` at their `positions`: one dot for each node, without edges and codes, the
  longitude on the x axis and the latitude on the y axis. Give the plot the title "Airports with flights from New York
  City", the x label "Longitude" and the y label "Latitude".
family:
  cibench:
    step: 12
    thought: networkx draws the nodes alone at the given positions; then I add title and labels.
    modules: networkx & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
fig, ax = plt.subplots()
nx.draw_networkx_nodes(M, positions, ax=ax, node_size=30)
ax.set_title("Airports with flights from New York City")
ax.set_xlabel("Longitude")
ax.set_ylabel("Latitude");
