-- Motor vehicle crashes of a state as its police report them: one wide table and no other, year, month, day and hour in columns of their
-- own, nearly everything a code that only some of the columns' comments explain, counts of the hurt beside letters for how badly.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/crashes.sql
BEGIN;
DROP SCHEMA IF EXISTS crashes CASCADE;
CREATE SCHEMA crashes;
SET LOCAL search_path = crashes;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE mv_crash_rpt (
  rpt_no text, crash_yr int, crash_mo int, crash_dy int, crash_hr int, dow_cd int, cnty_nm text, city_nm text, rd_cls text, spd_lmt int,
  lgt_cond_cd int, wthr_cond_cd int, surf_cond text, coll_typ_cd int, max_sev text, tot_veh int, tot_inj int, tot_ftl int, ped_ind text,
  alc_ind text, hr_ind text, wz_ind text, drvr_age int, drvr_sex text, drvr_lic_st text, est_dmg_amt int, lat numeric(8,5), lon numeric(8,5));

COMMENT ON TABLE mv_crash_rpt IS 'Motor vehicle crashes reported to the state police';
COMMENT ON COLUMN mv_crash_rpt.dow_cd IS 'Day of week: 1=Sunday, 2=Monday, 3=Tuesday, 4=Wednesday, 5=Thursday, 6=Friday, 7=Saturday';
COMMENT ON COLUMN mv_crash_rpt.rd_cls IS 'Road class (I = interstate, US = US highway, SR = state route, CR = county road, LS = local street)';
COMMENT ON COLUMN mv_crash_rpt.lgt_cond_cd IS 'Light condition: 1 - daylight; 2 - dark, not lighted; 3 - dark, lighted; 4 - dawn; 5 - dusk';
COMMENT ON COLUMN mv_crash_rpt.wthr_cond_cd IS 'Weather: 1=Clear, 2=Cloudy, 3=Rain, 4=Snow, 5=Fog';
COMMENT ON COLUMN mv_crash_rpt.surf_cond IS 'Road surface (D=dry, W=wet, I=ice, S=snow)';
COMMENT ON COLUMN mv_crash_rpt.coll_typ_cd IS 'Manner of collision: 1 rear end, 2 head on, 3 angle, 4 sideswipe, 5 fixed object, 6 pedestrian, 7 animal';
COMMENT ON COLUMN mv_crash_rpt.max_sev IS 'Worst injury: K fatal, A serious, B minor, C possible, O none';
COMMENT ON COLUMN mv_crash_rpt.hr_ind IS 'Hit and run';
COMMENT ON COLUMN mv_crash_rpt.wz_ind IS 'In a work zone';

INSERT INTO mv_crash_rpt SELECT
  'R' || to_char(d, 'YY') || '-' || lpad((i * 7)::text, 6, '0'), extract(year FROM d), extract(month FROM d), extract(day FROM d),
  CASE WHEN i % 37 > 0 THEN (6 + pg_temp.pick(i,'h',11) + pg_temp.pick(i,'h2',9)) % 24 END, 1 + extract(dow FROM d),
  cnty, CASE WHEN pg_temp.pick(i,'ci',5) > 0 THEN (CASE cnty WHEN 'HARLAN' THEN ARRAY['Evarts','Cumberland'] WHEN 'FAYETTE' THEN ARRAY['Lexington','Lexington']
    WHEN 'BOONE' THEN ARRAY['Florence','Union'] WHEN 'KENTON' THEN ARRAY['Covington','Erlanger'] WHEN 'PIKE' THEN ARRAY['Pikeville','Elkhorn City']
    WHEN 'WARREN' THEN ARRAY['Bowling Green','Smiths Grove'] WHEN 'DAVIESS' THEN ARRAY['Owensboro','Whitesville'] ELSE ARRAY['Louisville','Jeffersontown'] END)[1 + pg_temp.pick(i,'cj',2)] END,
  rc, CASE rc WHEN 'I' THEN 65 + 5 * pg_temp.pick(i,'sl',2) WHEN 'LS' THEN 25 + 5 * pg_temp.pick(i,'sl',3) ELSE 35 + 10 * pg_temp.pick(i,'sl',3) END,
  (ARRAY[1,1,1,1,1,2,3,3,4,5])[1 + pg_temp.pick(i,'lc',10)], w, CASE w WHEN 3 THEN 'W' WHEN 4 THEN (ARRAY['S','I'])[1 + pg_temp.pick(i,'su',2)] ELSE CASE WHEN i % 29 = 0 THEN 'I' ELSE 'D' END END,
  ct, CASE WHEN f > 0 THEN 'K' WHEN n > 2 THEN 'A' WHEN n > 1 THEN 'B' WHEN n > 0 THEN (ARRAY['B','C'])[1 + pg_temp.pick(i,'ms',2)] ELSE 'O' END,
  CASE WHEN ct > 4 THEN 1 ELSE 2 + CASE WHEN pg_temp.pick(i,'tv',6) = 0 THEN 1 + pg_temp.pick(i,'tw',3) ELSE 0 END END, n, f,
  CASE WHEN ct = 6 THEN 'Y' ELSE 'N' END, CASE WHEN pg_temp.pick(i,'al',9) = 0 THEN 'Y' WHEN i % 41 = 0 THEN 'U' ELSE 'N' END, CASE WHEN pg_temp.pick(i,'hi',11) = 0 THEN 'Y' ELSE 'N' END,
  CASE WHEN pg_temp.pick(i,'wz',17) = 0 THEN 'Y' ELSE 'N' END, CASE WHEN i % 23 > 0 THEN 16 + pg_temp.pick(i,'ag',40) + pg_temp.pick(i,'ah',30) END,
  CASE WHEN i % 31 = 0 THEN 'U' ELSE (ARRAY['M','F','M'])[1 + pg_temp.pick(i,'sx',3)] END, (ARRAY['KY','KY','KY','KY','KY','KY','OH','IN','TN','WV','IL'])[1 + pg_temp.pick(i,'ls',11)],
  100 * (3 + pg_temp.pick(i,'dm',140)) + pg_temp.pick(i,'dn',90) + CASE WHEN i % 97 = 0 THEN 20000 + 13 * i ELSE 0 END, round(37 + pg_temp.pick(i,'la',150000) / 100000.0, 5), round(-84.5 - pg_temp.pick(i,'lo',300000) / 100000.0, 5)
  FROM (SELECT i, date '2017-01-01' + pg_temp.pick(i,'d',1825) AS d, (ARRAY['HARLAN','FAYETTE','FAYETTE','BOONE','KENTON','PIKE','WARREN','WARREN','DAVIESS','JEFFERSON','JEFFERSON','JEFFERSON'])[1 + pg_temp.pick(i,'cn',12)] AS cnty,
    (ARRAY['I','US','SR','CR','LS','LS','SR'])[1 + pg_temp.pick(i,'rc',7)] AS rc, (ARRAY[1,1,1,1,2,2,3,3,4,5])[1 + pg_temp.pick(i,'wc',10)] AS w,
    (ARRAY[1,1,1,1,3,3,3,4,4,5,5,2,6,7])[1 + pg_temp.pick(i,'ct',14)] AS ct, CASE WHEN pg_temp.pick(i,'nj',3) = 0 THEN 1 + pg_temp.pick(i,'nk',4) ELSE 0 END AS n,
    CASE WHEN i = 777 THEN 4 WHEN pg_temp.pick(i,'ft',33) = 0 THEN 1 + pg_temp.pick(i,'fu',5) / 4 ELSE 0 END AS f FROM generate_series(1, 1700) AS i) AS x;
ANALYZE mv_crash_rpt;
COMMIT;
