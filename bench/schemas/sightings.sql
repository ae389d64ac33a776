-- A bird count as a society of volunteers publishes it: a flat table of observations, species by a four-letter code, sites and observers
-- in tables of their own, dates as text, counts with an X where only presence was noted, no key declared, no comment.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/sightings.sql
BEGIN;
DROP SCHEMA IF EXISTS sightings CASCADE;
CREATE SCHEMA sightings;
SET LOCAL search_path = sightings;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE bird_obs (obs_id int, spp_cd text, site_no int, obsvr_id int, obs_dt text, obs_tm text, cnt int, age_cls text, sex text, dist_m int, wthr text, temp_c numeric, brdg_evid text);
CREATE TABLE spp (spp_cd text, com_nm text, sci_nm text, fam text, cons_stat text, wt_g numeric, wngspn_cm int, migr_flg text);
CREATE TABLE site (site_no int, site_nm text, cnty text, st text, hab_typ text, elev_m int, area_ha numeric, prot_yn text, est_yr int);
CREATE TABLE obsvr (obsvr_id int, lname text, fname text, email text, join_yr int, skill_lvl text);
CREATE TABLE band_rec (band_no text, spp_cd text, site_no int, band_dt text, recap_dt text, wing_mm int, mass_g numeric, bander text);

INSERT INTO spp VALUES ('AMRO','American Robin','Turdus migratorius','Thrushes','LC',77,38,'Y'),('BLJA','Blue Jay','Cyanocitta cristata','Crows',  'LC',85,40,'N'),
  ('NOCA','Northern Cardinal','Cardinalis cardinalis','Cardinals','LC',44,28,'N'),('BAEA','Bald Eagle','Haliaeetus leucocephalus','Hawks','LC',4300,205,'Y'),
  ('WOTH','Wood Thrush','Hylocichla mustelina','Thrushes','NT',47,34,'Y'),('CERW','Cerulean Warbler','Setophaga cerulea','Wood Warblers','NT',9,20,'Y'),
  ('RTHA','Red-tailed Hawk','Buteo jamaicensis','Hawks','LC',1080,120,'N'),('AMCR','American Crow','Corvus brachyrhynchos','Crows','LC',450,90,'N'),
  ('OSPR','Osprey','Pandion haliaetus','Hawks','LC',1500,165,'Y'),('RUBL','Rusty Blackbird','Euphagus carolinus','Blackbirds','VU',60,37,'Y'),
  ('SNOW','Snowy Owl','Bubo scandiacus','Owls','VU',2000,140,'Y'),('BARS','Barn Swallow','Hirundo rustica','Swallows','LC',18,31,'Y'),('PIPL','Piping Plover','Charadrius melodus','Plovers','NT',55,38,'Y');
INSERT INTO site SELECT i, n, (ARRAY['Essex','Berkshire','Grafton','Coos','Kent'])[1 + i::int % 5], (ARRAY['MA','MA','NH','NH','RI'])[1 + i::int % 5],
  (ARRAY['Marsh','Forest','Grassland','Beach','Urban park'])[1 + pg_temp.pick(i,'h',5)], 2 + 13 * pg_temp.pick(i,'e',60), 4 + pg_temp.pick(i,'a',900) / 2.0,
  CASE WHEN pg_temp.pick(i,'p',3) = 0 THEN 'N' ELSE 'Y' END, 1931 + pg_temp.pick(i,'y',80)
  FROM unnest(ARRAY['Plum Island','Heron Pond','Mount Tom','Salt Meadow','Crane Beach','Quarry Hill','Mill Brook','Eagle Ledge','Long Point','Fox Hollow','Great Bay','Swift River','Town Common','Bog Trail']) WITH ORDINALITY AS u(n, i);
INSERT INTO obsvr SELECT i, (ARRAY['Abel','Brandt','Costa','Dietz','Ekman','Fujii'])[1 + i % 6], (ARRAY['Ruth','Sam','Ines','Karl','Mona'])[1 + i % 5], 'o' || i || '@birds.example',
  1988 + pg_temp.pick(i,'oj',34), (ARRAY['Novice','Intermediate','Expert'])[1 + pg_temp.pick(i,'os',3)] FROM generate_series(1, 30) AS i;
INSERT INTO bird_obs SELECT i, s.spp_cd, 1 + pg_temp.pick(i,'si',17) % 14, 1 + pg_temp.pick(i,'ob',28), to_char(date '2017-01-03' + pg_temp.pick(i,'d',2100), 'MM/DD/YYYY'),
  lpad((5 + pg_temp.pick(i,'t',14))::text, 2, '0') || ':' || lpad((5 * pg_temp.pick(i,'tm',12))::text, 2, '0'), 1 + pg_temp.pick(i,'c',1 + pg_temp.pick(i,'c2',60)),
  (ARRAY['Adult','Adult','Juvenile','Unknown'])[1 + pg_temp.pick(i,'ag',4)], (ARRAY['M','F','U'])[1 + pg_temp.pick(i,'sx',3)], 5 * pg_temp.pick(i,'di',80),
  (ARRAY['Clear','Cloudy','Rain','Fog','Snow'])[1 + pg_temp.pick(i,'w',9) % 5], pg_temp.pick(i,'te',400) / 10.0 - 8, CASE WHEN pg_temp.pick(i,'be',6) = 0 THEN 'Y' ELSE 'N' END
  FROM generate_series(1, 1300) AS i JOIN LATERAL (SELECT spp_cd FROM spp ORDER BY spp_cd OFFSET (pg_temp.pick(i,'sp',19) % 12) LIMIT 1) AS s ON true;
INSERT INTO band_rec SELECT 'B' || (71000 + i), s.spp_cd, 1 + pg_temp.pick(i,'bs',14), to_char(date '2018-04-01' + pg_temp.pick(i,'bd',1200), 'YYYY-MM-DD'),
  CASE WHEN pg_temp.pick(i,'br',4) = 0 THEN to_char(date '2018-04-01' + pg_temp.pick(i,'bd',1200) + 20 + pg_temp.pick(i,'b2',300), 'YYYY-MM-DD') END, 60 + pg_temp.pick(i,'bw',300),
  8 + pg_temp.pick(i,'bm',900) / 3.0, (ARRAY['J. Holt','P. Nadeau','S. Quill'])[1 + pg_temp.pick(i,'bb',5) % 3] FROM generate_series(1, 260) AS i
  JOIN LATERAL (SELECT spp_cd FROM spp ORDER BY spp_cd OFFSET (pg_temp.pick(i,'sq',12)) LIMIT 1) AS s ON true;
ANALYZE bird_obs; ANALYZE spp; ANALYZE site; ANALYZE obsvr; ANALYZE band_rec;
COMMIT;
