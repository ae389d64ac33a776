DROP SCHEMA IF EXISTS press CASCADE;
CREATE SCHEMA press;
SET search_path TO press;

CREATE FUNCTION press.h(k text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
$$ SELECT (('x' || substr(md5(k), 1, 7))::bit(28)::int) % n $$;

CREATE TABLE agt (
  agt_id int PRIMARY KEY,
  agt_nm varchar(60) NOT NULL,
  city varchar(30),
  comm_pct numeric(4,1) NOT NULL,
  since_yr smallint
);
INSERT INTO agt
SELECT i, (ARRAY['Ashdown','Blake & Moir','Carver','Delaney','Ellery Park','Frith Street','Garland','Hatherley','Ivory Lane','Jessop','Kestrel','Lomax','Marchetti','Novak','Ostrow','Pemberton','Quayside','Renn','Saltmarsh','Tolliver','Umber','Vane'])[i] || ' ' || (ARRAY['Literary Agency','Associates','Literary','Management'])[1 + i % 4],
 CASE WHEN i = 13 THEN NULL ELSE (ARRAY['London','London','Edinburgh','Dublin','New York','Manchester','London','Bristol'])[1 + press.h('agc'||i, 8)] END,
 (ARRAY[10,12.5,15,15,17.5])[1 + press.h('agp'||i, 5)], CASE WHEN press.h('agy'||i, 7) = 0 THEN NULL ELSE 1978 + press.h('agz'||i, 42) END
FROM generate_series(1, 22) i;

CREATE TABLE auth (
  auth_id int PRIMARY KEY,
  surnm varchar(30) NOT NULL,
  fornm varchar(30) NOT NULL,
  pen_nm varchar(60),
  ctry varchar(30),
  birth_yr smallint,
  agt_id int REFERENCES agt(agt_id),
  email varchar(80),
  vat_reg boolean NOT NULL
);
INSERT INTO auth
SELECT i, ln, fn,
 CASE WHEN press.h('pn'||i, 9) = 0 THEN substr(fn, 1, 1) || '. ' || (ARRAY['Q.','J.','X.'])[1 + i % 3] || ' ' || (ARRAY['Vesper','Marlow','Stone','Wilde','Harrow','Finch','Black'])[1 + i % 7] END,
 CASE WHEN press.h('ct'||i, 25) = 0 THEN NULL ELSE (ARRAY['UK','UK','UK','UK','Ireland','USA','USA','Canada','Australia','Nigeria','India','France'])[1 + press.h('cu'||i, 12)] END,
 CASE WHEN press.h('by'||i, 10) = 0 THEN NULL ELSE 1938 + press.h('bz'||i, 60) END,
 CASE WHEN press.h('ag'||i, 4) = 0 THEN NULL ELSE 1 + press.h('ah'||i, 19) END,
 CASE WHEN press.h('em'||i, 8) = 0 THEN NULL ELSE lower(fn || '.' || replace(ln, '''', '')) || '@writers.example' END,
 press.h('vt'||i, 3) = 0
FROM (SELECT i, (ARRAY['Amara','Benedict','Cecily','Dorian','Esme','Felix','Gwen','Hugo','Imogen','Jarvis','Katya'])[1 + i % 11] AS fn,
  (ARRAY['Abbott','Bannerjee','Calloway','Drummond','Eze','Fairfax','Grainger','Hollis','Ishikawa','Jardine','Kowalski','Lestrange','Mbeki','Northcote','O''Dowd','Penhaligon','Quill'])[1 + i % 17] AS ln FROM generate_series(1, 110) i) q;

CREATE TABLE ttl (
  ttl_id int PRIMARY KEY,
  ttl_nm varchar(80) NOT NULL,
  imprint varchar(30) NOT NULL,
  genre varchar(30) NOT NULL,
  lang_orig varchar(15) NOT NULL,
  acq_dt date NOT NULL,
  editor varchar(40),
  prize varchar(40)
);
INSERT INTO ttl
SELECT i, 'The ' || (ARRAY['Salt','Paper','Hollow','Northern','Silent','Borrowed','Winter','Glass','Crooked','Last','Amber','Distant','Iron'])[1 + i % 13] || ' ' || (ARRAY['Orchard','Harbour','Daughter','Letters','Kingdom','Garden','Witness','Cartographer','Hour','Inheritance','Bridge','Choir'])[1 + i % 12],
  CASE WHEN g IN ('Cookery','Travel','Biography','History') THEN (ARRAY['Hearth & Compass','Meridian Press','Meridian Press'])[1 + press.h('im'||i, 3)]
       WHEN g IN ('Children','Young Adult') THEN 'Little Otter' WHEN g IN ('Crime','Thriller') THEN (ARRAY['Nightjar','Nightjar','Meridian Press'])[1 + press.h('im'||i, 3)] ELSE (ARRAY['Meridian Press','Fable House','Fable House'])[1 + press.h('im'||i, 3)] END,
  g, CASE WHEN press.h('lo'||i, 8) = 0 THEN (ARRAY['French','German','Japanese','Spanish','Norwegian'])[1 + press.h('lp'||i, 5)] ELSE 'English' END,
  date '2018-03-01' + press.h('aq'||i, 2350),
  CASE WHEN press.h('ed'||i, 12) = 0 THEN NULL ELSE (ARRAY['Marian Cope','Tobias Lind','Sunita Rao','Graham Pell','Helen Ostler','Dev Chandra'])[1 + press.h('ee'||i, 6)] END,
  CASE WHEN press.h('pz'||i, 14) = 0 THEN (ARRAY['Aldwych Prize','Golden Quill','Harrowgate Award','Lantern Medal'])[1 + press.h('pq'||i, 4)] END
FROM (SELECT i, (ARRAY['Literary Fiction','Literary Fiction','Crime','Crime','Thriller','Historical Fiction','Fantasy','Cookery','Travel','Biography','History','Children','Children','Young Adult','Poetry'])[1 + press.h('gn'||i, 15)] AS g FROM generate_series(1, 150) i) q;

CREATE TABLE ttl_auth (
  ttl_id int NOT NULL REFERENCES ttl(ttl_id),
  auth_id int NOT NULL REFERENCES auth(auth_id),
  role_cd varchar(12) NOT NULL,
  shr_pct numeric(5,2) NOT NULL,
  PRIMARY KEY (ttl_id, auth_id)
);
INSERT INTO ttl_auth
SELECT t.ttl_id, 1 + (press.h('a1'||t.ttl_id, 94) * (35 + press.h('a2'||t.ttl_id, 66))) / 100, 'AUTHOR',
  CASE WHEN t.lang_orig <> 'English' THEN 80 WHEN t.genre = 'Children' THEN 55 WHEN press.h('co'||t.ttl_id, 7) = 0 THEN 60 ELSE 100 END FROM ttl t;
INSERT INTO ttl_auth
SELECT t.ttl_id, 95 + press.h('b1'||t.ttl_id, 13), CASE WHEN t.lang_orig <> 'English' THEN 'TRANSLATOR' WHEN t.genre = 'Children' THEN 'ILLUSTRATOR' ELSE 'CO-AUTHOR' END, 100 - ta.shr_pct
FROM ttl t JOIN ttl_auth ta USING (ttl_id) WHERE ta.shr_pct < 100;

CREATE TABLE edn (
  isbn char(13) PRIMARY KEY,
  ttl_id int NOT NULL REFERENCES ttl(ttl_id),
  fmt varchar(10) NOT NULL,
  pub_dt date,
  rrp numeric(6,2) NOT NULL,
  pgs int,
  wt_g int,
  edn_stat varchar(12) NOT NULL
);
INSERT INTO edn
SELECT '97819' || lpad((t.ttl_id * 37 + 10000)::text, 5, '0') || k || lpad(press.h('is'||t.ttl_id||k, 100)::text, 2, '0'),
  t.ttl_id, f, CASE WHEN pd > '2025-05-31' THEN NULL ELSE pd END,
  CASE f WHEN 'HARDBACK' THEN 16.99 + 2 * press.h('rp'||t.ttl_id, 5) + CASE WHEN t.genre = 'Cookery' THEN 6 ELSE 0 END WHEN 'PAPERBACK' THEN 7.99 + press.h('rq'||t.ttl_id, 6) WHEN 'EBOOK' THEN 3.99 + press.h('rr'||t.ttl_id, 5) ELSE 12.99 + press.h('rs'||t.ttl_id, 6) END,
  CASE WHEN f = 'AUDIO' THEN NULL WHEN t.genre = 'Children' THEN 32 + 4 * press.h('pg'||t.ttl_id, 12) WHEN t.genre = 'Poetry' THEN 64 + press.h('pg'||t.ttl_id, 60) ELSE 190 + press.h('pg'||t.ttl_id, 390) END,
  CASE WHEN f IN ('HARDBACK','PAPERBACK') THEN 120 + press.h('wt'||t.ttl_id||f, 640) END,
  CASE WHEN pd > '2024-12-31' THEN 'FORTHCOMING' WHEN pd < '2022-06-01' AND press.h('es'||t.ttl_id||f, 4) = 0 THEN 'OUT OF PRINT' WHEN f IN ('HARDBACK','PAPERBACK') AND press.h('et'||t.ttl_id||f, 12) = 0 THEN 'REPRINTING' ELSE 'IN PRINT' END
FROM (SELECT t.*, k, (ARRAY['HARDBACK','PAPERBACK','EBOOK','AUDIO'])[k] AS f,
   (t.acq_dt + 300 + press.h('pd'||t.ttl_id, 420) + CASE k WHEN 2 THEN 240 + press.h('pe'||t.ttl_id, 120) WHEN 4 THEN 30 + press.h('pf'||t.ttl_id, 90) ELSE 0 END) AS pd
   FROM ttl t CROSS JOIN generate_series(1, 4) k) t
WHERE CASE k WHEN 1 THEN press.h('k1'||ttl_id, 10) < 7 WHEN 2 THEN press.h('k2'||ttl_id, 10) < 9 WHEN 3 THEN press.h('k3'||ttl_id, 10) < 6 AND genre <> 'Cookery' ELSE press.h('k4'||ttl_id, 10) < 3 AND genre NOT IN ('Children','Cookery','Poetry') END;

CREATE TABLE contr (
  contr_no varchar(9) PRIMARY KEY,
  ttl_id int NOT NULL REFERENCES ttl(ttl_id),
  auth_id int NOT NULL REFERENCES auth(auth_id),
  sign_dt date NOT NULL,
  adv_amt numeric(9,2),
  roy_pct_hb numeric(4,2),
  roy_pct_pb numeric(4,2) NOT NULL,
  rights_terr varchar(20) NOT NULL,
  ms_due date NOT NULL,
  ms_dlvd date,
  contr_stat varchar(10) NOT NULL
);
INSERT INTO contr
SELECT 'C' || lpad((row_number() OVER (ORDER BY sg, ttl_id, auth_id))::text, 4, '0'), ttl_id, auth_id, sg,
  CASE WHEN press.h('av'||ttl_id||'-'||auth_id, 11) = 0 THEN NULL ELSE round((1000 + press.h('aw'||ttl_id, 260) * press.h('ax'||auth_id, 25) * 5 + press.h('ay'||ttl_id, 18) * 250) * shr_pct / 100, -1) END,
  CASE WHEN role_cd = 'TRANSLATOR' THEN NULL ELSE (ARRAY[8,10,10,12.5,15])[1 + press.h('rh'||ttl_id, 5)] * shr_pct / 100 END,
  (ARRAY[5,6,7.5,7.5,8])[1 + press.h('rb'||ttl_id, 5)] * shr_pct / 100,
  (ARRAY['World','World','UK & Commonwealth','UK & Commonwealth','World English','UK only'])[1 + press.h('tr'||ttl_id, 6)],
  due,
  CASE WHEN st = 'CANCELLED' OR due + lt > '2024-12-31' OR (due > '2024-01-15' AND press.h('nd'||ttl_id||'-'||auth_id, 3) = 0 AND NOT EXISTS (SELECT 1 FROM edn e WHERE e.ttl_id = q.ttl_id AND e.pub_dt < '2025-01-01')) THEN NULL ELSE due + lt END,
  CASE WHEN st = 'CANCELLED' THEN st WHEN due + lt > '2024-12-31' THEN 'ACTIVE' WHEN press.h('tm'||ttl_id, 9) = 0 AND sg < '2021-06-01' THEN 'REVERTED' ELSE 'ACTIVE' END
FROM (SELECT ta.*, t.acq_dt + 10 + press.h('sg'||ta.ttl_id||'-'||ta.auth_id, 50) AS sg, t.acq_dt + 150 + press.h('du'||ta.ttl_id, 180) AS due, press.h('lt'||ta.ttl_id||'-'||ta.auth_id, 110) - 60 AS lt,
   CASE WHEN t.acq_dt > '2023-06-01' AND press.h('cc'||ta.ttl_id, 5) = 0 THEN 'CANCELLED' ELSE 'ACTIVE' END AS st
   FROM ttl_auth ta JOIN ttl t USING (ttl_id)) q;

DELETE FROM edn e USING contr c WHERE c.ttl_id = e.ttl_id AND c.contr_stat = 'CANCELLED';

CREATE TABLE prun (
  prun_id int PRIMARY KEY,
  isbn char(13) NOT NULL REFERENCES edn(isbn),
  run_no smallint NOT NULL,
  print_dt date NOT NULL,
  printer varchar(40) NOT NULL,
  qty int NOT NULL,
  unit_cost numeric(6,3) NOT NULL,
  dlvd_dt date
);
INSERT INTO prun
SELECT row_number() OVER (ORDER BY pdt, isbn, n), isbn, n, pdt,
  (ARRAY['Clement & Sons','Baltic Print','Hargreave Press','Lotus Printing'])[1 + press.h('pr'||isbn||n, 4)],
  q, round((CASE fmt WHEN 'HARDBACK' THEN 2.1 ELSE 0.95 END + COALESCE(pgs, 200) * 0.0031 + 900.0 / q + press.h('uc'||isbn||n, 300) / 1000.0)::numeric, 3),
  CASE WHEN pdt + 12 + press.h('dd'||isbn||n, 25) > '2024-12-31' THEN NULL ELSE pdt + 12 + press.h('dd'||isbn||n, 25) END
FROM (SELECT e.*, n, CASE WHEN n = 1 THEN pub_dt - 40 - press.h('p1'||isbn, 30) ELSE pub_dt + n * 110 + press.h('p2'||isbn||n, 160) END AS pdt,
   CASE WHEN n = 1 THEN 1500 + 250 * press.h('q1'||isbn, 23) ELSE 800 + 100 * press.h('q2'||isbn||n, 34) END + CASE WHEN fmt = 'PAPERBACK' THEN 1000 ELSE 0 END + press.h('q3'||isbn||n, 10) * 10 AS q
   FROM edn e CROSS JOIN generate_series(1, 4) n
   WHERE fmt IN ('HARDBACK','PAPERBACK') AND pub_dt IS NOT NULL AND n <= 1 + (press.h('nr'||isbn, 4) * press.h('ns'||isbn, 4)) / 3) z
WHERE pdt <= '2024-12-20' AND (n = 1 OR edn_stat <> 'FORTHCOMING');

CREATE TABLE bkshop (
  shop_id int PRIMARY KEY,
  shop_nm varchar(60) NOT NULL,
  shop_typ varchar(12) NOT NULL,
  city varchar(30) NOT NULL,
  region varchar(20) NOT NULL,
  disc_pct numeric(4,1) NOT NULL,
  cr_lim numeric(9,2),
  rep_nm varchar(40),
  acct_open date NOT NULL,
  acct_closed date
);
INSERT INTO bkshop
SELECT i, nm, ty, split_part(pl, '|', 1), split_part(pl, '|', 2),
  CASE ty WHEN 'INDEPENDENT' THEN 35 + press.h('ds'||i, 4) * 2.5 WHEN 'CHAIN' THEN 45 + press.h('ds'||i, 4) * 2.5 WHEN 'WHOLESALER' THEN 52.5 + press.h('ds'||i, 2) * 2.5 ELSE 50 END,
  CASE WHEN press.h('cl'||i, 8) = 0 THEN NULL ELSE 1000 + press.h('cm'||i, 40) * CASE ty WHEN 'INDEPENDENT' THEN 150 ELSE 1250 END END,
  CASE WHEN press.h('rn'||i, 11) = 0 THEN NULL ELSE (ARRAY['Alice Thorne','Ben Okafor','Carys Pugh','Dermot Hale','Elspeth Munro'])[1 + press.h('ro'||i, 5)] END,
  date '2009-01-05' + press.h('ao'||i, 4700),
  CASE WHEN press.h('ac'||i, 13) = 0 THEN date '2023-01-15' + press.h('ad'||i, 600) END
FROM (SELECT i, (ARRAY['Blackthorn','Corner','Dog-Eared','Eastgate','Foxglove','Gaslight','Highland','Inkwell','Jackdaw','Kingfisher','Lighthouse','Marginalia','Nutmeg','Owl & Quill','Prologue','Quarto','Riverside','Spindle','Turnpike'])[1 + i % 19] || ' ' || (ARRAY['Books','Bookshop','Book Company','Reads'])[1 + i % 4] AS nm,
   CASE WHEN press.h('ty'||i, 100) < 62 THEN 'INDEPENDENT' WHEN press.h('ty'||i, 100) < 84 THEN 'CHAIN' WHEN press.h('ty'||i, 100) < 92 THEN 'ONLINE' ELSE 'WHOLESALER' END AS ty,
   (ARRAY['London|South East','Brighton|South East','Oxford|South East','Bristol|South West','Exeter|South West','Bath|South West','Birmingham|Midlands','Nottingham|Midlands','Leeds|North','Manchester|North','York|North','Durham|North','Edinburgh|Scotland','Glasgow|Scotland','Cardiff|Wales','Hay-on-Wye|Wales','Belfast|Northern Ireland'])[1 + press.h('pl'||i, 17)] AS pl
   FROM generate_series(1, 76) i) q;

CREATE TABLE ordr (
  ord_no int PRIMARY KEY,
  shop_id int NOT NULL REFERENCES bkshop(shop_id),
  ord_dt date NOT NULL,
  ord_chan varchar(8) NOT NULL,
  ord_stat varchar(10) NOT NULL,
  prom_dt date,
  ship_dt date,
  inv_no varchar(10),
  paid_dt date
);
INSERT INTO ordr
SELECT 50000 + i, s, d, (ARRAY['EDI','EDI','EDI','EMAIL','REP','PHONE'])[1 + press.h('oc'||i, 6)], st,
  CASE WHEN press.h('op'||i, 14) = 0 THEN NULL ELSE d + 5 + press.h('oq'||i, 5) END,
  CASE WHEN st = 'SHIPPED' THEN d + sd END,
  CASE WHEN st = 'SHIPPED' THEN 'INV' || (70000 + i) END,
  CASE WHEN st = 'SHIPPED' AND d + sd + 12 + pp <= '2024-12-31' AND press.h('ou'||i, 30) > 0 THEN d + sd + 12 + pp END
FROM (SELECT i, sh AS s, date '2022-01-04' + (i * 1090 / 1000) AS d, 1 + press.h('sd'||i, 6) + press.h('se'||i, 7) AS sd, press.h('pp'||i, 30) + press.h('pq'||sh, 25) AS pp,
   CASE WHEN press.h('os'||i, 100) < 6 THEN 'CANCELLED' WHEN i > 975 AND press.h('ot'||i, 3) > 0 THEN 'OPEN' WHEN press.h('os'||i, 100) < 19 AND i > 890 THEN 'BACKORDER' ELSE 'SHIPPED' END AS st
   FROM (SELECT i, 1 + (press.h('o1'||i, 74) * (30 + press.h('o2'||i, 71))) / 100 AS sh FROM generate_series(1, 1000) i) y) q
WHERE NOT EXISTS (SELECT 1 FROM bkshop b WHERE b.shop_id = q.s AND b.acct_closed < q.d);

CREATE TABLE ord_ln (
  ord_no int NOT NULL REFERENCES ordr(ord_no),
  ln_no smallint NOT NULL,
  isbn char(13) NOT NULL REFERENCES edn(isbn),
  qty int NOT NULL,
  net_prc numeric(7,2) NOT NULL,
  PRIMARY KEY (ord_no, ln_no)
);
INSERT INTO ord_ln
SELECT ord_no, row_number() OVER (PARTITION BY ord_no ORDER BY k), isbn, qy, round(rrp * (1 - disc_pct / 100), 2)
FROM (SELECT DISTINCT ON (o.ord_no, e.isbn) o.ord_no, k, e.isbn, e.rrp, b.disc_pct,
    (2 + press.h('qy'||o.ord_no||k, 18)) * CASE b.shop_typ WHEN 'INDEPENDENT' THEN 1 WHEN 'CHAIN' THEN 3 ELSE 5 END AS qy
  FROM ordr o JOIN bkshop b USING (shop_id) CROSS JOIN generate_series(1, 4) k
  JOIN (SELECT e.*, row_number() OVER (ORDER BY press.h('rk'||isbn, 100000), isbn) AS rn, count(*) OVER () AS cn FROM edn e WHERE fmt IN ('HARDBACK','PAPERBACK') AND pub_dt IS NOT NULL) e
    ON e.rn = 1 + (press.h('ol'||o.ord_no||k, e.cn::int) * (20 + press.h('om'||o.ord_no||k, 80))) / 100
  WHERE k <= 2 + press.h('nl'||o.ord_no, 3) AND e.pub_dt <= o.ord_dt + 60
  ORDER BY o.ord_no, e.isbn, k) q;
DELETE FROM ordr o WHERE NOT EXISTS (SELECT 1 FROM ord_ln l WHERE l.ord_no = o.ord_no);

CREATE TABLE rtn (
  rtn_id int PRIMARY KEY,
  ord_no int NOT NULL,
  ln_no smallint NOT NULL,
  rtn_dt date NOT NULL,
  qty int NOT NULL,
  reason varchar(12),
  credit_amt numeric(8,2),
  FOREIGN KEY (ord_no, ln_no) REFERENCES ord_ln(ord_no, ln_no)
);
INSERT INTO rtn
SELECT row_number() OVER (ORDER BY rd, ord_no, ln_no), ord_no, ln_no, rd, q, rs, CASE WHEN press.h('ra'||ord_no||ln_no, 15) = 0 THEN NULL ELSE round(q * net_prc, 2) END
FROM (SELECT l.*, o.ship_dt + 30 + press.h('rd'||l.ord_no||l.ln_no, 130) AS rd, 1 + (l.qty - 1) * (5 + press.h('re'||l.ord_no||l.ln_no, 75)) / 100 AS q,
    (ARRAY['UNSOLD','UNSOLD','UNSOLD','DAMAGED','WRONG ITEM',NULL])[1 + press.h('rf'||l.ord_no||l.ln_no, 6)] AS rs
  FROM ord_ln l JOIN ordr o USING (ord_no) JOIN bkshop b USING (shop_id)
  WHERE o.ord_stat = 'SHIPPED' AND press.h('rg'||l.ord_no||l.ln_no, 100) < CASE b.shop_typ WHEN 'CHAIN' THEN 24 WHEN 'INDEPENDENT' THEN 11 ELSE 17 END) z
WHERE rd <= '2024-12-31';

CREATE TABLE roy_stmt (
  stmt_id int PRIMARY KEY,
  contr_no varchar(9) NOT NULL REFERENCES contr(contr_no),
  prd varchar(6) NOT NULL,
  units int NOT NULL,
  roy_earned numeric(9,2) NOT NULL,
  stmt_dt date NOT NULL,
  amt_pd numeric(9,2),
  pd_dt date,
  UNIQUE (contr_no, prd)
);
INSERT INTO roy_stmt
SELECT row_number() OVER (ORDER BY pe, contr_no), contr_no, prd, un, re, pe + 45,
  CASE WHEN press.h('pa'||contr_no||prd, 100) < 70 AND pe < '2024-12-01' AND re > 40 THEN re END,
  CASE WHEN press.h('pa'||contr_no||prd, 100) < 70 AND pe < '2024-12-01' AND re > 40 THEN pe + 60 + press.h('pb'||contr_no||prd, 50) END
FROM (SELECT c.contr_no, p.prd, p.pe, un, round(un * COALESCE(c.roy_pct_hb, c.roy_pct_pb) / 100 * 9.4, 2) AS re
  FROM contr c
  JOIN (SELECT ttl_id, min(pub_dt) AS fp FROM edn WHERE pub_dt IS NOT NULL GROUP BY 1) f USING (ttl_id)
  CROSS JOIN (VALUES ('2022H1', date '2022-06-30'), ('2022H2', '2022-12-31'), ('2023H1', '2023-06-30'), ('2023H2', '2023-12-31'), ('2024H1', '2024-06-30')) p(prd, pe)
  CROSS JOIN LATERAL (SELECT 15 + press.h('un'||c.contr_no||p.prd, 60) * (2 + press.h('uo'||c.contr_no, 22)) AS un) u
  WHERE c.contr_stat <> 'CANCELLED' AND f.fp < p.pe - 20) z;

DROP FUNCTION press.h(text, int);
