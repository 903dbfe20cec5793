"""polars: what hash maps are ordered by, and samples."""
import polars

frame = polars.DataFrame({"k": [f"key{i % 50}" for i in range(2000)], "v": [0.1 * i for i in range(2000)]})
print(frame["k"].unique().to_list()[:10])
print(frame.group_by("k").agg(polars.col("v").sum())["k"].to_list()[:10])
print(frame.sample(5)["v"].to_list())
