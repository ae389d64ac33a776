DROP SCHEMA IF EXISTS nursery CASCADE;
CREATE SCHEMA nursery;
SET search_path TO nursery;

CREATE FUNCTION pg_temp.h(k text, i int) RETURNS int LANGUAGE sql IMMUTABLE AS
$$ SELECT ('x'||substr(md5(k||'/'||i::text),1,7))::bit(28)::int $$;

CREATE TABLE emp (
  emp_id  int PRIMARY KEY,
  nm      varchar(60) NOT NULL,
  job     varchar(20) NOT NULL,
  hire_dt date NOT NULL,
  term_dt date,
  boss_id int REFERENCES emp(emp_id),
  phone   varchar(20)
);
INSERT INTO emp
SELECT i,
 (ARRAY['Joan Thackeray','Pieter de Wit','Alma Reyes','Gus Holloway','Mina Petrov','Stuart Kerr','Bea Lindsay','Tom Arkwright','Nuria Campos','Ewan Doyle','Pia Sorensen','Lloyd Banner','Carys Evans','Ivan Kolar','Rita Mokoena','Dean Pullman','Hana Sato','Colin Birks','Greta Vogel','Sam Odell','Nina Farrell','Oskar Nyman','Paula Greer','Will Tranter','Zoe Mallory','Ken Abara','Jess Whitlock','Marek Zielinski'])[i],
 CASE WHEN i=1 THEN 'General manager' WHEN i<=4 THEN 'Head' WHEN i<=10 THEN 'Grower' WHEN i<=16 THEN 'Sales rep' WHEN i<=22 THEN 'Driver' ELSE 'Office' END,
 DATE '2010-02-01' + pg_temp.h('h',i)%4200,
 CASE i WHEN 9 THEN DATE '2023-10-31' WHEN 16 THEN DATE '2024-02-29' WHEN 22 THEN DATE '2023-05-12' END,
 CASE WHEN i=1 THEN NULL WHEN i<=4 THEN 1 WHEN i<=10 THEN 2 WHEN i<=16 THEN 3 WHEN i<=22 THEN 4 ELSE 1 END,
 CASE WHEN pg_temp.h('ph',i)%5<>0 THEN '07'||(100000000+pg_temp.h('ph2',i)%800000000)::text END
FROM generate_series(1,28) i;

CREATE TABLE plant (
  plant_no   int PRIMARY KEY,
  lat_name   varchar(80) NOT NULL,
  com_name   varchar(60),
  grp        varchar(12) NOT NULL,
  pot_ltr    numeric(4,1) NOT NULL,
  list_prc   numeric(7,2) NOT NULL,
  evergreen  char(1) NOT NULL,
  min_temp_c int,
  intro_yr   int,
  discont    char(1) NOT NULL DEFAULT 'N'
);
INSERT INTO plant
SELECT 1000+i, lat, NULLIF(com,''), grp, pot,
 round((CASE grp WHEN 'Perennial' THEN 2.2 WHEN 'Herb' THEN 1.4 WHEN 'Grass' THEN 2.9 WHEN 'Shrub' THEN 6.1 WHEN 'Climber' THEN 7.4 ELSE 18.5 END) * (0.8+pot*0.17) + (pg_temp.h('pp',i)%140)/100.0, 2),
 ev, CASE WHEN pg_temp.h('mt',i)%9<>0 THEN -5 - pg_temp.h('mt2',i)%6*3 END,
 CASE WHEN pg_temp.h('iy',i)%7<>0 THEN 2008+pg_temp.h('iy2',i)%16 END,
 CASE WHEN pg_temp.h('dc',i)%11=0 THEN 'Y' ELSE 'N' END
FROM (SELECT row_number() OVER ()::int i, * FROM (VALUES
('Lavandula angustifolia ''Hidcote''','English lavender','Perennial',2.0,'Y'),('Geranium ''Rozanne''','Cranesbill','Perennial',2.0,'N'),('Salvia nemorosa ''Caradonna''','Woodland sage','Perennial',2.0,'N'),
('Echinacea purpurea','Purple coneflower','Perennial',2.0,'N'),('Hosta sieboldiana','Plantain lily','Perennial',3.0,'N'),('Heuchera ''Palace Purple''','Coral bells','Perennial',2.0,'Y'),
('Astilbe ''Fanal''','False goat''s beard','Perennial',2.0,'N'),('Rudbeckia fulgida','Black-eyed Susan','Perennial',2.0,'N'),('Nepeta ''Six Hills Giant''','Catmint','Perennial',2.0,'N'),
('Alchemilla mollis','Lady''s mantle','Perennial',1.5,'N'),('Digitalis purpurea','Foxglove','Perennial',1.5,'N'),('Aster frikartii ''Moench''','Michaelmas daisy','Perennial',2.0,'N'),
('Helleborus orientalis','Lenten rose','Perennial',3.0,'Y'),('Sedum ''Herbstfreude''','Stonecrop','Perennial',2.0,'N'),('Delphinium ''Black Knight''','Larkspur','Perennial',3.0,'N'),
('Paeonia ''Sarah Bernhardt''','Peony','Perennial',5.0,'N'),('Euphorbia polychroma','','Perennial',2.0,'N'),('Phlox paniculata ''David''','Border phlox','Perennial',2.0,'N'),
('Thymus vulgaris','Thyme','Herb',1.0,'Y'),('Salvia rosmarinus','Rosemary','Herb',1.5,'Y'),('Mentha spicata','Spearmint','Herb',1.0,'N'),('Salvia officinalis','Sage','Herb',1.0,'Y'),
('Origanum vulgare','Oregano','Herb',1.0,'N'),('Allium schoenoprasum','Chives','Herb',1.0,'N'),('Petroselinum crispum','Parsley','Herb',1.0,'N'),('Laurus nobilis','Bay','Herb',3.0,'Y'),
('Stipa tenuissima','Feather grass','Grass',2.0,'N'),('Miscanthus ''Gracillimus''','Maiden grass','Grass',3.0,'N'),('Pennisetum ''Hameln''','Fountain grass','Grass',3.0,'N'),('Carex ''Evergold''','Sedge','Grass',2.0,'Y'),
('Festuca glauca','Blue fescue','Grass',1.5,'Y'),('Calamagrostis ''Karl Foerster''','Feather reed grass','Grass',3.0,'N'),('Hakonechloa macra','','Grass',2.0,'N'),
('Hydrangea paniculata ''Limelight''','Hydrangea','Shrub',5.0,'N'),('Buxus sempervirens','Box','Shrub',3.0,'Y'),('Viburnum tinus','Laurustinus','Shrub',5.0,'Y'),('Photinia ''Red Robin''','Photinia','Shrub',7.5,'Y'),
('Prunus laurocerasus','Cherry laurel','Shrub',10.0,'Y'),('Spiraea japonica','Spiraea','Shrub',3.0,'N'),('Hebe ''Great Orme''','Hebe','Shrub',3.0,'Y'),('Cornus alba ''Sibirica''','Dogwood','Shrub',5.0,'N'),
('Rosa ''Gertrude Jekyll''','Rose','Shrub',4.0,'N'),('Rosa ''Iceberg''','Rose','Shrub',4.0,'N'),('Skimmia japonica','Skimmia','Shrub',3.0,'Y'),('Pieris ''Forest Flame''','Pieris','Shrub',5.0,'Y'),
('Rhododendron ''Cunningham White''','Rhododendron','Shrub',7.5,'Y'),('Camellia japonica','Camellia','Shrub',7.5,'Y'),('Euonymus fortunei','Spindle','Shrub',2.0,'Y'),('Ceanothus ''Concha''','Californian lilac','Shrub',5.0,'Y'),
('Philadelphus ''Virginal''','Mock orange','Shrub',5.0,'N'),('Sarcococca confusa','','Shrub',3.0,'Y'),('Weigela florida','Weigela','Shrub',5.0,'N'),
('Clematis ''Nelly Moser''','Clematis','Climber',3.0,'N'),('Clematis montana','Mountain clematis','Climber',3.0,'N'),('Hedera helix','Ivy','Climber',2.0,'Y'),('Lonicera periclymenum','Honeysuckle','Climber',3.0,'N'),
('Wisteria sinensis','Wisteria','Climber',7.5,'N'),('Trachelospermum jasminoides','Star jasmine','Climber',5.0,'Y'),('Parthenocissus tricuspidata','Boston ivy','Climber',3.0,'N'),('Rosa ''New Dawn''','Climbing rose','Climber',4.0,'N'),
('Acer palmatum','Japanese maple','Tree',10.0,'N'),('Betula utilis','Himalayan birch','Tree',12.0,'N'),('Malus ''Evereste''','Crab apple','Tree',12.0,'N'),('Amelanchier lamarckii','Snowy mespilus','Tree',10.0,'N'),
('Magnolia stellata','Star magnolia','Tree',10.0,'N'),('Olea europaea','Olive','Tree',15.0,'Y'),('Ilex aquifolium','Holly','Tree',10.0,'Y'),('Prunus ''Kanzan''','Japanese cherry','Tree',15.0,'N'),
('Sorbus aucuparia','Rowan','Tree',12.0,'N'),('Taxus baccata','Yew','Tree',10.0,'Y'),('Eucalyptus gunnii','Cider gum','Tree',10.0,'Y'),('Quercus robur','English oak','Tree',15.0,'N')
) v(lat,com,grp,pot,ev)) p;

CREATE TABLE ghouse (
  gh_cd     char(3) PRIMARY KEY,
  site      varchar(20) NOT NULL,
  area_m2   int NOT NULL,
  heated    char(1) NOT NULL,
  built_yr  int,
  keeper_id int REFERENCES emp(emp_id)
);
INSERT INTO ghouse
SELECT CASE (i-1)%3 WHEN 0 THEN 'N' WHEN 1 THEN 'S' ELSE 'R' END||lpad(((i+2)/3)::text,2,'0'),
 (ARRAY['North Field','Sandpit Lane','Riverside'])[(i-1)%3+1], 240+pg_temp.h('ga',i)%90*12,
 CASE WHEN pg_temp.h('gt',i)%5<3 THEN 'Y' ELSE 'N' END,
 CASE WHEN pg_temp.h('gb',i)%6<>0 THEN 1988+pg_temp.h('gb2',i)%33 END,
 CASE WHEN pg_temp.h('gk',i)%8<>0 THEN (ARRAY[5,6,7,8,10])[1+pg_temp.h('gk2',i)%5] END
FROM generate_series(1,21) i;

CREATE TABLE batch (
  batch_no  int PRIMARY KEY,
  plant_no  int NOT NULL REFERENCES plant(plant_no),
  gh_cd     char(3) NOT NULL REFERENCES ghouse(gh_cd),
  prop      varchar(10) NOT NULL,
  start_dt  date NOT NULL,
  exp_ready date NOT NULL,
  act_ready date,
  qty_start int NOT NULL,
  unit_cost numeric(6,2) NOT NULL,
  stat      varchar(10) NOT NULL,
  grower_id int NOT NULL REFERENCES emp(emp_id)
);
INSERT INTO batch
SELECT 22000+i*3, p.plant_no, (SELECT gh_cd FROM ghouse ORDER BY pg_temp.h('bg'||i::text, ascii(gh_cd)*100+substr(gh_cd,2)::int) LIMIT 1),
 CASE WHEN p.grp='Tree' THEN (ARRAY['Graft','Graft','Seed'])[1+pg_temp.h('pr',i)%3] WHEN p.grp IN ('Shrub','Climber') THEN 'Cutting' WHEN p.grp='Grass' THEN (ARRAY['Division','Seed'])[1+pg_temp.h('pr',i)%2] ELSE (ARRAY['Seed','Division','Plug','Plug'])[1+pg_temp.h('pr',i)%4] END,
 sd, sd+gd,
 CASE WHEN scrap OR sd+gd+sl > DATE '2024-12-20' THEN NULL ELSE sd+gd+sl END,
 20*(10+pg_temp.h('qs',i)%90), round(p.list_prc*(0.22+(pg_temp.h('uc',i)%18)/100.0),2),
 CASE WHEN scrap THEN 'SCRAPPED' WHEN sd+gd+sl > DATE '2024-12-20' THEN 'GROWING' WHEN sd+gd+sl < DATE '2024-03-01' OR pg_temp.h('so',i)%3=0 THEN 'SOLD OUT' ELSE 'READY' END,
 CASE WHEN sd < DATE '2023-06-01' THEN 5+pg_temp.h('gr',i)%6 ELSE (ARRAY[5,6,7,8,10])[1+pg_temp.h('gr',i)%5] END
FROM (SELECT i, DATE '2021-09-06' + (i*1.95)::int sd, 70+pg_temp.h('gd',i)%210 gd, -12+pg_temp.h('sl',i)%48 sl, pg_temp.h('sc',i)%100<4 AND i<540 scrap,
   1001 + (CASE WHEN pg_temp.h('bp0',i)%3=0 THEN pg_temp.h('bp',i)%26 ELSE pg_temp.h('bp',i)%70 END) pn FROM generate_series(1,600) i) s
JOIN plant p ON p.plant_no=s.pn;

CREATE TABLE loss_rsn (
  rsn_cd char(3) PRIMARY KEY,
  descr  varchar(40) NOT NULL,
  cat    varchar(12) NOT NULL
);
INSERT INTO loss_rsn VALUES
('F01','Late frost','Weather'),('F02','Storm damage','Weather'),('F03','Heat scorch','Weather'),('F04','Flooding','Weather'),
('P01','Aphids','Pest'),('P02','Vine weevil','Pest'),('P03','Slugs and snails','Pest'),('P04','Red spider mite','Pest'),('P05','Rabbits','Pest'),('P06','Whitefly','Pest'),
('D01','Botrytis','Disease'),('D02','Powdery mildew','Disease'),('D03','Root rot','Disease'),('D04','Box blight','Disease'),('D05','Rust','Disease'),
('H01','Irrigation failure','Handling'),('H02','Dropped tray','Handling'),('H03','Wrong label','Handling'),('H04','Potting error','Handling'),('H05','Spray damage','Handling'),('H06','Vehicle damage','Handling');

CREATE TABLE loss (
  loss_id  int PRIMARY KEY,
  batch_no int NOT NULL REFERENCES batch(batch_no),
  loss_dt  date NOT NULL,
  rsn_cd   char(3) REFERENCES loss_rsn(rsn_cd),
  qty      int NOT NULL,
  rep_by   int REFERENCES emp(emp_id)
);
INSERT INTO loss
SELECT row_number() OVER (ORDER BY d, batch_no, n), batch_no, d,
 CASE WHEN pg_temp.h('lr0'||n,batch_no)%16<>0 THEN (SELECT rsn_cd FROM loss_rsn WHERE rsn_cd NOT IN ('D04','H06') OR (rsn_cd='D04' AND plant_no=1035) ORDER BY pg_temp.h('lr'||n||'-'||batch_no, ascii(rsn_cd)*100+substr(rsn_cd,2)::int)*(CASE cat WHEN 'Pest' THEN 0.6 WHEN 'Handling' THEN 1.3 ELSE 1 END) LIMIT 1) END,
 GREATEST(2,(qty_start*(1+pg_temp.h('lq'||n,batch_no)%11)/130.0)::int), CASE WHEN pg_temp.h('lb'||n,batch_no)%9<>0 THEN grower_id END
FROM (SELECT b.*, n, b.start_dt + 5 + ((LEAST(COALESCE(b.act_ready,b.exp_ready),DATE '2024-12-18')-b.start_dt-5)*((pg_temp.h('ld'||n,b.batch_no)%1000)/1000.0))::int d
  FROM batch b CROSS JOIN LATERAL generate_series(1,pg_temp.h('ln',b.batch_no)%4) n) s WHERE d <= DATE '2024-12-20';
INSERT INTO loss
SELECT (SELECT max(loss_id) FROM loss) + row_number() OVER (ORDER BY batch_no), batch_no, exp_ready + 3, CASE WHEN batch_no%2=0 THEN 'D03' ELSE 'H05' END,
 qty_start - COALESCE((SELECT sum(qty) FROM loss l WHERE l.batch_no=b.batch_no),0), grower_id
FROM batch b WHERE stat='SCRAPPED';

CREATE TABLE cust (
  cust_no  int PRIMARY KEY,
  nm       varchar(60) NOT NULL,
  typ      varchar(20) NOT NULL,
  town     varchar(40) NOT NULL,
  rep_id   int REFERENCES emp(emp_id),
  disc_pct numeric(4,1) NOT NULL,
  crd_lim  numeric(9,2),
  since    date NOT NULL,
  active   char(1) NOT NULL
);
INSERT INTO cust
SELECT 500+i,
 (ARRAY['Alder','Bramble','Cedar','Drift','Elm','Fern','Glade','Hollow','Ivy','Jasmine','Kiln','Linden','Moor','Nettle','Oak','Primrose','Quince','Rowan','Sorrel','Thistle','Upland','Vale','Willow','Yarrow'])[(i-1)%24+1]||
 (ARRAY['brook','field','wood','gate','ham'])[(i-1)/24+1]||' '||
 CASE typ WHEN 'Garden centre' THEN 'Garden Centre' WHEN 'Landscaper' THEN 'Landscapes' WHEN 'Retail chain' THEN 'Home & Garden' ELSE 'Parks Dept' END,
 typ, (ARRAY['Ashford','Bury','Chester','Derby','Exeter','Frome','Guildford','Hexham','Ipswich','Kendal','Lincoln','Malvern'])[pg_temp.h('tw',i)%12+1],
 CASE WHEN pg_temp.h('rp',i)%15<>0 THEN 11+pg_temp.h('rp2',i)%6 END,
 CASE typ WHEN 'Retail chain' THEN 12+pg_temp.h('dp',i)%5*1.5 ELSE (ARRAY[0,0,2.5,5,7.5,10])[1+pg_temp.h('dp',i)%6] END,
 CASE WHEN pg_temp.h('cl',i)%8<>0 THEN 1000+(pg_temp.h('cl2',i)%28)*500 END,
 CASE WHEN i<=95 THEN DATE '2009-04-01'+pg_temp.h('sn',i)%4600 ELSE DATE '2022-02-01'+pg_temp.h('sn',i)%950 END,
 CASE WHEN pg_temp.h('ac',i)%10=0 THEN 'N' ELSE 'Y' END
FROM (SELECT i, CASE WHEN pg_temp.h('ty',i)%20<12 THEN 'Garden centre' WHEN pg_temp.h('ty',i)%20<16 THEN 'Landscaper' WHEN pg_temp.h('ty',i)%20<18 THEN 'Retail chain' ELSE 'Municipality' END typ FROM generate_series(1,118) i) s;

CREATE TABLE ord (
  ord_no   int PRIMARY KEY,
  cust_no  int NOT NULL REFERENCES cust(cust_no),
  ord_dt   date NOT NULL,
  want_dt  date,
  chan     varchar(6) NOT NULL,
  stat     varchar(10) NOT NULL,
  taken_by int REFERENCES emp(emp_id)
);
INSERT INTO ord
SELECT 70000+row_number() OVER (ORDER BY od, i), cust_no, od, CASE WHEN pg_temp.h('wd0',i)%18<>0 THEN od+4+pg_temp.h('wd',i)%26 END,
 (ARRAY['WEB','WEB','PHONE','REP','EMAIL'])[1+pg_temp.h('ch',i)%5],
 CASE WHEN pg_temp.h('os',i)%100<6 THEN 'CANCELLED' WHEN od > DATE '2024-12-05' THEN 'OPEN' WHEN pg_temp.h('os',i)%100<9 AND od > DATE '2024-06-01' THEN 'OPEN' ELSE 'SHIPPED' END,
 CASE WHEN (ARRAY['WEB','WEB','PHONE','REP','EMAIL'])[1+pg_temp.h('ch',i)%5]='WEB' THEN NULL WHEN (ARRAY['WEB','WEB','PHONE','REP','EMAIL'])[1+pg_temp.h('ch',i)%5]='REP' THEN 11+pg_temp.h('tk',i)%CASE WHEN od<'2024-03-01' THEN 6 ELSE 5 END ELSE 23+pg_temp.h('tk',i)%6 END
FROM (
 SELECT i, c.cust_no, od FROM (
  SELECT i, y + ((pg_temp.h('doy',i)%120) + CASE WHEN pg_temp.h('ssn',i)%10<6 THEN 45 WHEN pg_temp.h('ssn',i)%10<9 THEN 200 ELSE 243 END)::int od
  FROM (SELECT i, CASE WHEN i<=240 THEN DATE '2022-01-01' WHEN i<=540 THEN DATE '2023-01-01' ELSE DATE '2024-01-01' END y FROM generate_series(1,900) i) z) s
 JOIN LATERAL (SELECT cust_no FROM cust WHERE since<od AND cust_no NOT IN (511,533,571,590,604) AND (active='Y' OR od<'2023-11-01')
   ORDER BY pg_temp.h('oc'||i::text,cust_no)*(0.6+(pg_temp.h('cw',cust_no)%100)/40.0) LIMIT 1) c ON true
) q;

CREATE TABLE ord_ln (
  ord_no   int NOT NULL REFERENCES ord(ord_no),
  ln       int NOT NULL,
  plant_no int NOT NULL REFERENCES plant(plant_no),
  qty      int NOT NULL,
  unit_prc numeric(7,2) NOT NULL,
  disc_pct numeric(4,1) NOT NULL,
  PRIMARY KEY (ord_no, ln)
);
INSERT INTO ord_ln
SELECT o.ord_no, row_number() OVER (PARTITION BY o.ord_no ORDER BY p.r), p.plant_no, 5*(1+pg_temp.h('oq'||p.r,o.ord_no)%18),
 round(p.list_prc*CASE extract(year FROM o.ord_dt)::int WHEN 2022 THEN 0.91 WHEN 2023 THEN 0.96 ELSE 1 END,2), c.disc_pct
FROM ord o JOIN cust c USING (cust_no)
CROSS JOIN LATERAL (SELECT plant_no, list_prc, row_number() OVER () r FROM (
   SELECT * FROM plant WHERE plant_no NOT IN (1033,1051,1071,1072) ORDER BY pg_temp.h('ol'||o.ord_no::text,plant_no)*(0.5+(pg_temp.h('pw',plant_no)%100)/60.0) LIMIT 1+pg_temp.h('nl',o.ord_no)%5) w) p;

CREATE TABLE truck (
  reg      varchar(8) PRIMARY KEY,
  kind     varchar(12) NOT NULL,
  trolleys int NOT NULL,
  bought   date NOT NULL,
  sold     date
);
INSERT INTO truck
SELECT 'NX'||(60+i%14)||chr(65+i%26)||chr(65+(i*7)%26)||chr(65+(i*11)%26), (ARRAY['Van','Rigid','Rigid','Trailer'])[1+i%4], (ARRAY[6,18,22,40])[1+i%4], DATE '2014-03-01'+pg_temp.h('tb',i)%2700,
 CASE WHEN i IN (4,11) THEN DATE '2023-09-01' END
FROM generate_series(1,20) i;

CREATE TABLE deliv (
  deliv_no  int PRIMARY KEY,
  ord_no    int NOT NULL REFERENCES ord(ord_no),
  truck_reg varchar(8) REFERENCES truck(reg),
  driver_id int REFERENCES emp(emp_id),
  plan_dt   date NOT NULL,
  deliv_dt  date,
  km        int,
  stat      varchar(10) NOT NULL
);
INSERT INTO deliv
SELECT 40000+row_number() OVER (ORDER BY pd, ord_no), ord_no,
 CASE WHEN pg_temp.h('dt0',ord_no)%20<>0 THEN (SELECT reg FROM truck WHERE bought<pd AND sold IS NULL AND kind<>'Trailer' OR kind='Trailer' AND pg_temp.h('tr',ord_no)%9=0 AND sold IS NULL ORDER BY pg_temp.h('dt'||ord_no::text, ascii(substr(reg,5))*1000+ascii(substr(reg,6))) LIMIT 1) END,
 CASE WHEN pd < DATE '2023-05-01' THEN 17+pg_temp.h('dr',ord_no)%6 ELSE 17+pg_temp.h('dr',ord_no)%5 END,
 pd, CASE WHEN stat='SHIPPED' THEN pd + (ARRAY[0,0,0,0,0,-1,1,2,4,7])[1+pg_temp.h('dl',ord_no)%10] END,
 CASE WHEN stat='SHIPPED' AND pg_temp.h('km',ord_no)%13<>0 THEN 12+pg_temp.h('km2',ord_no)%260 END,
 CASE WHEN stat='SHIPPED' THEN 'DONE' ELSE 'PLANNED' END
FROM (SELECT o.*, COALESCE(want_dt, ord_dt+10) + (ARRAY[0,0,0,0,1,2,-1])[1+pg_temp.h('pd',ord_no)%7] pd FROM ord o) s
WHERE stat='SHIPPED' OR (stat='OPEN' AND pg_temp.h('opd',ord_no)%2=0);

CREATE TABLE deliv_ln (
  deliv_no int NOT NULL REFERENCES deliv(deliv_no),
  ord_ln   int NOT NULL,
  batch_no int REFERENCES batch(batch_no),
  qty      int NOT NULL,
  rejected int NOT NULL,
  PRIMARY KEY (deliv_no, ord_ln)
);
INSERT INTO deliv_ln
SELECT d.deliv_no, l.ln, (SELECT batch_no FROM batch b WHERE b.plant_no=l.plant_no AND b.act_ready <= d.deliv_dt ORDER BY b.act_ready DESC LIMIT 1),
 CASE WHEN pg_temp.h('sh'||l.ln,d.deliv_no)%10=0 THEN (l.qty*0.8)::int ELSE l.qty END,
 CASE WHEN pg_temp.h('rj'||l.ln,d.deliv_no)%12=0 THEN 1+pg_temp.h('rj2'||l.ln,d.deliv_no)%4 ELSE 0 END
FROM deliv d JOIN ord_ln l USING (ord_no) WHERE d.stat='DONE';
