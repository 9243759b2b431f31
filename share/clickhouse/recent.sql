-- The tables of dktrace load on one server of ClickHouse 22.8 or later: rows are removed 90 days after they were
-- loaded, and columns have codecs. Their own time would remove an old recording as soon as it is loaded, and one
-- without the time of day, whose times are of 1970.
--
-- The statements of a section run for each table, column or view that is not there yet.
-- @TABLE@ is its name, @TABLE_MORE@ the name with _MORE, @NAME@ the name within quotes.

-- [once]
CREATE TABLE IF NOT EXISTS rates (
	time DateTime('UTC'), host String, event String, records UInt64,
	loaded DateTime MATERIALIZED now()
) ENGINE = SummingMergeTree PARTITION BY toDate(time) ORDER BY (event, host, time)
	TTL loaded + INTERVAL 2 YEAR;
CREATE TABLE IF NOT EXISTS latencies (
	time DateTime('UTC'), host String, log String, intervals AggregateFunction(count),
	quantiles AggregateFunction(quantilesTDigest(0.5, 0.9, 0.99, 0.999), Int64),
	loaded DateTime MATERIALIZED now()
) ENGINE = AggregatingMergeTree PARTITION BY toDate(time) ORDER BY (log, host, time)
	TTL loaded + INTERVAL 2 YEAR;
CREATE VIEW IF NOT EXISTS latencies_by_minute AS
	SELECT time, host, log, countMerge(intervals) AS count,
		quantilesTDigestMerge(0.5, 0.9, 0.99, 0.999)(quantiles) AS p50_p90_p99_p999
	FROM latencies GROUP BY time, host, log ORDER BY log, host, time;

-- [table]
CREATE TABLE IF NOT EXISTS @TABLE@ (@COLUMNS@, common_loaded DateTime MATERIALIZED now() CODEC(ZSTD))
	ENGINE = MergeTree PARTITION BY toDate(common_time) ORDER BY (host, common_load, common_time, seq)
	TTL common_loaded + INTERVAL 90 DAY SETTINGS ttl_only_drop_parts = 1;
ALTER TABLE @TABLE@ MODIFY COLUMN seq UInt64 CODEC(Delta, ZSTD);

-- [column]
ALTER TABLE @TABLE@ ADD COLUMN IF NOT EXISTS @COLUMN@;

-- [drop]
ALTER TABLE @TABLE@ DROP COLUMN @COLUMN@;

-- [event]
ALTER TABLE @TABLE@ MODIFY COLUMN ts Int64 CODEC(DoubleDelta, ZSTD);
CREATE MATERIALIZED VIEW IF NOT EXISTS @TABLE_by_minute@ TO rates AS
	SELECT toStartOfMinute(common_time) AS time, host, '@NAME@' AS event, count() AS records
	FROM @TABLE@ GROUP BY time, host;

-- [log]
CREATE MATERIALIZED VIEW IF NOT EXISTS @TABLE_by_minute@ TO latencies AS
	SELECT toStartOfMinute(common_time) AS time, host, '@NAME@' AS log, countState() AS intervals,
		quantilesTDigestState(0.5, 0.9, 0.99, 0.999)(duration) AS quantiles
	FROM @TABLE@ GROUP BY time, host;

-- [view]
CREATE VIEW IF NOT EXISTS @VIEW@ AS @SELECT@;
