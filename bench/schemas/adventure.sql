-- A bicycle maker with declared keys: products in categories, orders with lines, employees with the history of their departments.
-- The data is the same on every server. Load with: psql DSN -f bench/schemas/adventure.sql
BEGIN;
DROP SCHEMA IF EXISTS adventure CASCADE;
CREATE SCHEMA adventure;
SET LOCAL search_path = adventure;

CREATE OR REPLACE FUNCTION pg_temp.h(k text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  'SELECT (''x''||substr(md5(k),1,7))::bit(28)::int % n';

CREATE TABLE product_category (
  product_category_id int PRIMARY KEY,
  name varchar(50) NOT NULL UNIQUE,
  modified_date date NOT NULL DEFAULT '2022-01-01'
);
CREATE TABLE product_subcategory (
  product_subcategory_id int PRIMARY KEY,
  product_category_id int NOT NULL REFERENCES product_category,
  name varchar(50) NOT NULL UNIQUE,
  modified_date date NOT NULL DEFAULT '2022-01-01'
);
CREATE TABLE product (
  product_id int PRIMARY KEY,
  name varchar(60) NOT NULL UNIQUE,
  product_number varchar(25) NOT NULL UNIQUE,
  make_flag boolean NOT NULL,
  color varchar(15),
  size varchar(5),
  weight numeric(8,2),
  safety_stock_level int NOT NULL,
  standard_cost numeric(10,2) NOT NULL,
  list_price numeric(10,2) NOT NULL,
  days_to_manufacture int NOT NULL,
  product_subcategory_id int REFERENCES product_subcategory,
  sell_start_date date NOT NULL,
  sell_end_date date
);
COMMENT ON COLUMN product.make_flag IS 'false = product is purchased, true = product is manufactured in-house';
COMMENT ON COLUMN product.weight IS 'weight in kilograms';
COMMENT ON COLUMN product.sell_end_date IS 'date the product was discontinued; NULL = still for sale';

CREATE TABLE sales_territory (
  territory_id int PRIMARY KEY,
  name varchar(50) NOT NULL UNIQUE,
  country_region_code char(2) NOT NULL,
  territory_group varchar(50) NOT NULL
);
CREATE TABLE department (
  department_id int PRIMARY KEY,
  name varchar(50) NOT NULL UNIQUE,
  group_name varchar(50) NOT NULL
);
CREATE TABLE employee (
  employee_id int PRIMARY KEY,
  first_name varchar(40) NOT NULL,
  last_name varchar(40) NOT NULL,
  job_title varchar(60) NOT NULL,
  gender char(1) NOT NULL CHECK (gender IN ('M','F')),
  hire_date date NOT NULL,
  salaried_flag boolean NOT NULL,
  hourly_rate numeric(6,2) NOT NULL,
  vacation_hours smallint NOT NULL,
  sick_leave_hours smallint NOT NULL,
  manager_id int REFERENCES employee
);
CREATE TABLE employee_department_history (
  employee_id int NOT NULL REFERENCES employee,
  department_id int NOT NULL REFERENCES department,
  start_date date NOT NULL,
  end_date date,
  PRIMARY KEY (employee_id, department_id, start_date)
);
COMMENT ON COLUMN employee_department_history.end_date IS 'date the employee left the department; NULL = current department';

CREATE TABLE store (
  store_id int PRIMARY KEY,
  name varchar(60) NOT NULL UNIQUE,
  city varchar(40) NOT NULL,
  territory_id int NOT NULL REFERENCES sales_territory,
  sales_person_id int REFERENCES employee,
  opened_date date NOT NULL,
  square_feet int
);
CREATE TABLE sales_order_header (
  sales_order_id int PRIMARY KEY,
  order_date date NOT NULL,
  due_date date NOT NULL,
  ship_date date,
  status smallint NOT NULL,
  online_order_flag boolean NOT NULL,
  store_id int REFERENCES store,
  sales_person_id int REFERENCES employee,
  territory_id int NOT NULL REFERENCES sales_territory,
  sub_total numeric(12,2) NOT NULL DEFAULT 0,
  tax_amt numeric(12,2) NOT NULL DEFAULT 0,
  freight numeric(12,2) NOT NULL DEFAULT 0,
  total_due numeric(12,2) NOT NULL DEFAULT 0,
  comment text
);
COMMENT ON COLUMN sales_order_header.status IS '1 = In process, 2 = Approved, 3 = Backordered, 5 = Shipped';
COMMENT ON COLUMN sales_order_header.online_order_flag IS 'true = placed online by a consumer (no store), false = placed by a store';
COMMENT ON COLUMN sales_order_header.sub_total IS 'sum of the line totals';
COMMENT ON COLUMN sales_order_header.total_due IS 'sub_total + tax_amt + freight';

CREATE TABLE sales_order_detail (
  sales_order_id int NOT NULL REFERENCES sales_order_header,
  line_no int NOT NULL,
  product_id int NOT NULL REFERENCES product,
  order_qty int NOT NULL,
  unit_price numeric(10,2) NOT NULL,
  unit_price_discount numeric(4,2) NOT NULL DEFAULT 0,
  line_total numeric(12,2) NOT NULL,
  PRIMARY KEY (sales_order_id, line_no)
);
COMMENT ON COLUMN sales_order_detail.unit_price_discount IS 'fraction, 0.10 = 10 percent';

INSERT INTO product_category (product_category_id, name) VALUES
 (1,'Bikes'),(2,'Components'),(3,'Clothing'),(4,'Accessories'),(5,'Gift Cards');
INSERT INTO product_subcategory (product_subcategory_id, product_category_id, name) VALUES
 (1,1,'Mountain Bikes'),(2,1,'Road Bikes'),(3,1,'Touring Bikes'),
 (4,2,'Handlebars'),(5,2,'Wheels'),(6,2,'Saddles'),(7,2,'Brakes'),(8,2,'Pedals'),(9,2,'Mountain Frames'),
 (10,3,'Jerseys'),(11,3,'Shorts'),(12,3,'Gloves'),(13,3,'Socks'),(14,3,'Caps'),
 (15,4,'Helmets'),(16,4,'Lights'),(17,4,'Locks'),(18,4,'Bottles and Cages'),(19,4,'Bike Racks'),(20,4,'Panniers');

INSERT INTO product VALUES
 (1,'Adjustable Race','AR-5381',false,NULL,NULL,NULL,1000,1.90,0,0,NULL,'2022-01-01',NULL),
 (2,'Bearing Ball','BA-8327',false,NULL,NULL,NULL,1000,0.35,0,0,NULL,'2022-01-01',NULL),
 (3,'Headset Ball Bearings','BE-2908',false,NULL,NULL,NULL,800,0.80,0,0,NULL,'2022-01-01',NULL),
 (4,'Blade','BL-2036',true,NULL,NULL,NULL,800,4.10,0,1,NULL,'2022-01-01',NULL),
 (5,'Chain Stays','CS-2812',true,NULL,NULL,NULL,900,6.75,0,1,NULL,'2022-01-01','2024-04-30'),
 (10,'Mountain-100 Silver, 42','BK-M82S-42',true,'Silver','42',9.42,100,1912.15,3399.99,4,1,'2022-01-01','2024-06-30'),
 (11,'Mountain-100 Black, 42','BK-M82B-42',true,'Black','42',9.42,100,1898.09,3374.99,4,1,'2022-01-01','2024-06-30'),
 (12,'Mountain-200 Silver, 38','BK-M68S-38',true,'Silver','38',10.67,100,1265.62,2319.99,4,1,'2022-01-01',NULL),
 (13,'Mountain-200 Black, 42','BK-M68B-42',true,'Black','42',10.90,100,1251.98,2294.99,4,1,'2022-01-01',NULL),
 (14,'Mountain-300 Black, 44','BK-M47B-44',true,'Black','44',11.85,100,598.44,1079.99,4,1,'2022-01-01',NULL),
 (15,'Mountain-500 Silver, 40','BK-M18S-40',true,'Silver','40',12.33,100,308.22,564.99,4,1,'2023-03-01',NULL),
 (16,'Road-150 Red, 62','BK-R93R-62',true,'Red','62',6.80,100,2171.29,3578.27,4,2,'2022-01-01','2024-12-31'),
 (17,'Road-250 Black, 48','BK-R89B-48',true,'Black','48',7.06,100,1554.95,2443.35,4,2,'2022-01-01',NULL),
 (18,'Road-350-W Yellow, 44','BK-R79Y-44',true,'Yellow','44',7.11,100,1082.51,1700.99,4,2,'2023-03-01',NULL),
 (19,'Road-550-W Yellow, 40','BK-R64Y-40',true,'Yellow','40',8.01,100,713.08,1120.49,4,2,'2022-01-01',NULL),
 (20,'Road-650 Red, 58','BK-R50R-58',true,'Red','58',8.98,100,486.71,782.99,4,2,'2022-01-01','2024-12-31'),
 (21,'Road-750 Black, 52','BK-R19B-52',true,'Black','52',9.31,100,343.65,539.99,4,2,'2023-03-01',NULL),
 (22,'Touring-1000 Blue, 46','BK-T79U-46',true,'Blue','46',11.38,100,1481.94,2384.07,4,3,'2023-01-01',NULL),
 (23,'Touring-2000 Blue, 50','BK-T44U-50',true,'Blue','50',12.66,100,755.15,1214.85,4,3,'2023-01-01',NULL),
 (24,'Touring-3000 Yellow, 54','BK-T18Y-54',true,'Yellow','54',13.39,100,461.44,742.35,4,3,'2023-01-01',NULL),
 (30,'HL Mountain Handlebars','HB-M918',true,NULL,NULL,0.32,500,53.40,120.27,1,4,'2022-01-01',NULL),
 (31,'LL Road Handlebars','HB-R504',true,NULL,NULL,0.41,500,19.78,44.54,1,4,'2022-01-01',NULL),
 (32,'HL Road Front Wheel','FW-R820',true,'Black',NULL,0.65,500,146.55,330.06,1,5,'2022-01-01',NULL),
 (33,'Touring Rear Wheel','RW-T905',true,'Black',NULL,0.89,500,108.78,245.01,1,5,'2023-01-01',NULL),
 (34,'ML Mountain Front Wheel','FW-M762',true,'Black',NULL,0.98,500,92.81,209.03,1,5,'2022-01-01','2024-06-30'),
 (35,'HL Touring Saddle','SE-T924',false,NULL,NULL,0.38,500,23.37,52.64,0,6,'2023-01-01',NULL),
 (36,'LL Mountain Saddle','SE-M236',false,NULL,NULL,0.45,500,12.04,27.12,0,6,'2022-01-01',NULL),
 (37,'Front Brakes','FB-9873',true,'Silver',NULL,0.32,500,47.29,106.50,1,7,'2022-01-01',NULL),
 (38,'Rear Brakes','RB-9231',true,'Silver',NULL,0.34,500,47.29,107.90,1,7,'2022-01-01',NULL),
 (39,'HL Road Pedal','PD-R853',false,'Silver',NULL,0.15,500,35.96,80.99,0,8,'2022-01-01',NULL),
 (40,'LL Mountain Pedal','PD-M282',false,'Silver',NULL,0.22,500,17.98,40.49,0,8,'2022-01-01',NULL),
 (41,'HL Mountain Frame - Black, 44','FR-M94B-44',true,'Black','44',1.27,500,699.09,1349.60,2,9,'2022-01-01',NULL),
 (42,'LL Mountain Frame - Silver, 48','FR-M21S-48',true,'Silver','48',1.44,500,144.59,264.05,2,9,'2023-03-01',NULL),
 (50,'Long-Sleeve Logo Jersey, L','LJ-0192-L',false,'Multi','L',NULL,4,38.49,49.99,0,10,'2022-01-01',NULL),
 (51,'Short-Sleeve Classic Jersey, M','SJ-0194-M',false,'Yellow','M',NULL,4,41.57,53.99,0,10,'2023-03-01',NULL),
 (52,'Men''s Sports Shorts, M','SH-M897-M',false,'Black','M',NULL,4,24.75,59.99,0,11,'2022-01-01','2024-04-30'),
 (53,'Women''s Mountain Shorts, S','SH-W890-S',false,'Black','S',NULL,4,26.18,69.99,0,11,'2023-01-01',NULL),
 (54,'Half-Finger Gloves, M','GL-H102-M',false,'Black','M',NULL,4,9.16,24.49,0,12,'2022-01-01',NULL),
 (55,'Full-Finger Gloves, L','GL-F110-L',false,'Black','L',NULL,4,15.67,37.99,0,12,'2022-01-01','2025-03-31'),
 (56,'Mountain Bike Socks, M','SO-B909-M',false,'White','M',NULL,4,3.40,9.50,0,13,'2022-01-01',NULL),
 (57,'Racing Socks, L','SO-R809-L',false,'White','L',NULL,4,3.36,8.99,0,13,'2023-01-01',NULL),
 (58,'AWC Logo Cap','CA-1098',false,'Multi',NULL,NULL,4,6.92,8.69,0,14,'2022-01-01',NULL),
 (60,'Sport-100 Helmet, Red','HL-U509-R',false,'Red',NULL,0.28,4,13.09,34.99,0,15,'2022-01-01',NULL),
 (61,'Sport-100 Helmet, Blue','HL-U509-B',false,'Blue',NULL,0.28,4,13.08,34.79,0,15,'2022-01-01',NULL),
 (62,'Pro-200 Helmet, Black','HL-P200-K',false,'Black',NULL,0.24,4,28.60,79.90,0,15,'2024-02-01',NULL),
 (63,'Headlights - Dual-Beam','LT-H902',false,NULL,NULL,NULL,4,14.43,34.90,0,16,'2022-01-01','2025-03-31'),
 (64,'Taillights - Battery-Powered','LT-T990',false,NULL,NULL,NULL,4,5.77,13.99,0,16,'2022-01-01',NULL),
 (65,'Cable Lock','LO-C100',false,NULL,NULL,NULL,4,10.31,25.00,0,17,'2022-01-01','2024-04-30'),
 (66,'U-Lock Titan','LO-U250',false,'Black',NULL,1.10,4,21.75,54.95,0,17,'2024-02-01',NULL),
 (67,'Water Bottle - 30 oz.','WB-H098',false,NULL,NULL,NULL,4,1.87,4.99,0,18,'2022-01-01',NULL),
 (68,'Mountain Bottle Cage','BC-M005',false,NULL,NULL,NULL,4,3.74,9.99,0,18,'2023-01-01',NULL),
 (69,'Hitch Rack - 4-Bike','RA-H123',false,NULL,NULL,12.50,4,44.88,120.00,0,19,'2022-01-01',NULL),
 (70,'Trunk Rack - 2-Bike','RA-T202',false,NULL,NULL,6.20,4,35.20,89.00,0,19,'2025-09-01',NULL),
 (71,'Winter Thermal Gloves, XL','GL-W300-X',false,'Blue','XL',NULL,4,18.90,44.50,0,12,'2025-09-01',NULL);

INSERT INTO sales_territory VALUES
 (1,'Northwest','US','North America'),(2,'Northeast','US','North America'),(3,'Central','US','North America'),
 (4,'Southwest','US','North America'),(5,'Southeast','US','North America'),(6,'Canada','CA','North America'),
 (7,'France','FR','Europe'),(8,'Germany','DE','Europe'),(9,'Australia','AU','Pacific'),(10,'United Kingdom','GB','Europe');

INSERT INTO department VALUES
 (1,'Engineering','Research and Development'),(2,'Tool Design','Research and Development'),
 (3,'Sales','Sales and Marketing'),(4,'Marketing','Sales and Marketing'),
 (5,'Purchasing','Inventory Management'),(6,'Shipping and Receiving','Inventory Management'),
 (7,'Production','Manufacturing'),(8,'Quality Assurance','Quality Control'),
 (9,'Human Resources','Executive General and Administration'),(10,'Finance','Executive General and Administration'),
 (11,'Information Services','Executive General and Administration'),(12,'Executive','Executive General and Administration'),
 (13,'Document Control','Quality Control');

INSERT INTO employee VALUES
 (1,'Karen','Lindqvist','Chief Executive Officer','F','2022-01-03',true,125.50,99,69,NULL),
 (2,'Terrence','Duffield','Vice President of Engineering','M','2022-01-10',true,63.46,41,20,1),
 (3,'Roberta','Tamayo','Engineering Manager','F','2022-01-24',true,43.27,62,21,2),
 (4,'Rafael','Walters','Senior Tool Designer','M','2022-02-05',false,29.85,48,80,3),
 (5,'Gail','Erikson','Design Engineer','F','2022-03-06',true,32.69,5,22,3),
 (6,'Jossef','Goldman','Design Engineer','M','2022-03-24',true,32.69,6,23,3),
 (7,'Dylan','Miller','Research Engineer','M','2023-02-08',true,50.48,61,50,3),
 (8,'Diane','Margolis','Research Engineer','F','2023-05-29',true,40.87,16,64,3),
 (9,'Ovidiu','Cracium','Tool Designer','M','2023-12-05',false,28.85,7,23,4),
 (10,'Janice','Galvin','Tool Designer','F','2024-01-16',false,25.00,8,24,4),
 (11,'Brian','Welcker','Vice President of Sales','M','2022-01-17',true,72.12,10,25,1),
 (12,'Stephen','Jiang','Sales Manager','M','2022-01-20',true,48.10,14,27,11),
 (13,'Michael','Blythe','Sales Representative','M','2022-02-01',true,23.08,38,39,12),
 (14,'Linda','Mitchell','Sales Representative','F','2022-02-01',true,23.08,27,33,12),
 (15,'Jillian','Carson','Sales Representative','F','2022-02-01',true,23.08,24,32,12),
 (16,'Garrett','Vargas','Sales Representative','M','2022-02-14',true,23.08,33,36,12),
 (17,'Tsvi','Reiter','Sales Representative','M','2022-02-14',true,22.50,29,34,12),
 (18,'Pamela','Ansman-Wolfe','Sales Representative','F','2022-02-21',true,23.08,22,31,12),
 (19,'Ranjit','Varkey','Sales Representative','M','2022-02-21',true,24.10,34,37,12),
 (20,'Jae','Pak','Sales Representative','F','2022-02-28',true,24.80,37,38,12),
 (21,'Lynn','Tsoflias','Sales Representative','F','2025-06-16',true,21.75,36,12,12),
 (22,'David','Bradley','Marketing Manager','M','2022-02-28',true,37.50,40,40,1),
 (23,'Jill','Williams','Marketing Specialist','F','2023-02-18',false,14.42,46,43,22),
 (24,'Terry','Eminhizer','Marketing Specialist','M','2023-04-13',false,14.42,44,41,22),
 (25,'Wanida','Benshoof','Marketing Assistant','F','2024-02-07',false,13.46,45,42,22),
 (26,'James','Hamilton','Vice President of Production','M','2022-02-07',true,84.13,64,52,1),
 (27,'Peter','Krebs','Production Control Manager','M','2022-02-14',false,24.52,43,41,26),
 (28,'Jo','Brown','Production Supervisor','F','2022-03-30',false,25.00,80,60,27),
 (29,'Guy','Gilbert','Production Technician','M','2022-06-30',false,12.45,21,30,28),
 (30,'Mark','McArthur','Production Technician','M','2022-07-23',false,12.45,19,29,28),
 (31,'Britta','Simon','Production Technician','F','2023-01-29',false,12.45,13,24,28),
 (32,'Margie','Shoop','Production Technician','F','2023-01-05',false,13.45,18,28,28),
 (33,'Rebecca','Laszlo','Production Technician','F','2023-12-29',false,12.95,25,26,28),
 (34,'Kitti','Lertpiriyasuwat','Production Technician','F','2024-05-20',false,11.80,9,15,28),
 (35,'Hazem','Abolrous','Quality Assurance Manager','M','2022-02-28',true,28.85,80,58,26),
 (36,'Sootha','Charncherngkha','Quality Assurance Technician','M','2024-03-26',false,10.58,84,59,35),
 (37,'Zheng','Mu','Quality Assurance Technician','F','2025-01-13',false,10.80,30,12,35),
 (38,'Paula','Barreto','Human Resources Manager','F','2022-03-07',true,27.14,54,47,1),
 (39,'Grant','Culbertson','Human Resources Administrative Assistant','M','2023-02-25',false,13.95,53,46,38),
 (40,'Laura','Norman','Chief Financial Officer','F','2022-01-31',true,60.10,0,20,1),
 (41,'David','Liu','Accounts Manager','M','2023-02-02',false,34.74,57,48,40),
 (42,'Cynthia','Carey','Accountant','F','2024-09-02',true,26.44,58,49,41),
 (43,'Jean','Trenary','Information Services Manager','F','2022-02-12',true,50.48,65,52,1),
 (44,'Francois','Ajenstat','Database Administrator','M','2023-02-18',true,38.46,67,53,43),
 (45,'Ashvini','Sharma','Network Administrator','M','2024-12-05',false,32.45,70,55,43),
 (46,'Sheela','Word','Purchasing Manager','F','2022-03-28',true,30.00,49,44,1),
 (47,'Arvind','Rao','Buyer','M','2023-04-01',false,18.27,60,50,46),
 (48,'Vamsi','Kuppa','Shipping and Receiving Clerk','M','2023-01-08',false,9.50,95,67,46);

INSERT INTO employee_department_history VALUES
 (1,12,'2022-01-03',NULL),(2,1,'2022-01-10',NULL),(3,1,'2022-01-24',NULL),
 (4,1,'2022-02-05','2023-06-30'),(4,2,'2023-07-01',NULL),
 (5,1,'2022-03-06',NULL),(6,1,'2022-03-24',NULL),(7,1,'2023-02-08',NULL),(8,1,'2023-05-29',NULL),
 (9,2,'2023-12-05',NULL),(10,2,'2024-01-16',NULL),
 (11,3,'2022-01-17',NULL),(12,4,'2022-01-20','2022-12-31'),(12,3,'2023-01-01',NULL),
 (13,3,'2022-02-01',NULL),(14,3,'2022-02-01',NULL),(15,3,'2022-02-01',NULL),(16,3,'2022-02-14',NULL),
 (17,3,'2022-02-14',NULL),(18,3,'2022-02-21',NULL),(19,3,'2022-02-21',NULL),(20,3,'2022-02-28',NULL),(21,3,'2025-06-16',NULL),
 (22,5,'2022-02-28','2022-08-31'),(22,3,'2022-09-01','2024-01-31'),(22,4,'2024-02-01',NULL),
 (23,4,'2023-02-18',NULL),(24,9,'2023-04-13','2024-03-31'),(24,4,'2024-04-01',NULL),(25,4,'2024-02-07',NULL),
 (26,7,'2022-02-07',NULL),(27,7,'2022-02-14',NULL),(28,7,'2022-03-30',NULL),
 (29,6,'2022-06-30','2023-03-15'),(29,7,'2023-03-16',NULL),(30,7,'2022-07-23',NULL),(31,7,'2023-01-29',NULL),
 (32,7,'2023-01-05',NULL),(33,7,'2023-12-29',NULL),(34,7,'2024-05-20',NULL),
 (35,7,'2022-02-28','2024-10-31'),(35,8,'2024-11-01',NULL),(36,8,'2024-03-26',NULL),(37,8,'2025-01-13',NULL),
 (38,9,'2022-03-07',NULL),(39,9,'2023-02-25',NULL),(40,10,'2022-01-31',NULL),
 (41,5,'2023-02-02','2024-06-30'),(41,10,'2024-07-01',NULL),(42,10,'2024-09-02',NULL),
 (43,11,'2022-02-12',NULL),(44,11,'2023-02-18',NULL),(45,11,'2024-12-05',NULL),
 (46,5,'2022-03-28',NULL),(47,5,'2023-04-01',NULL),(48,7,'2023-01-08','2023-09-30'),(48,6,'2023-10-01',NULL);

INSERT INTO store VALUES
 (1,'Progressive Sports','Seattle',1,13,'2022-02-14',21000),
 (2,'Riverside Cycles','Portland',1,13,'2022-03-01',18500),
 (3,'Bike World','Spokane',1,13,'2022-05-20',NULL),
 (4,'Metro Bike Works','New York',2,14,'2022-02-01',42000),
 (5,'Eastside Cycling','Boston',2,14,'2022-04-11',16000),
 (6,'Liberty Wheels','Philadelphia',2,14,'2023-01-09',12000),
 (7,'Great Lakes Bicycle Co.','Chicago',3,15,'2022-03-15',39000),
 (8,'Prairie Pedal Shop','Kansas City',3,15,'2022-08-01',9000),
 (9,'Gateway Sporting Goods','St. Louis',3,15,'2023-02-20',27500),
 (10,'Sunset Bikes','Los Angeles',4,16,'2022-02-10',33000),
 (11,'Desert Trail Cycles','Phoenix',4,16,'2022-06-06',14500),
 (12,'Golden Gate Bicycles','San Francisco',4,16,'2022-02-25',25000),
 (13,'Alamo Cycle Center','San Antonio',4,NULL,'2023-05-15',11000),
 (14,'Peachtree Bikes','Atlanta',5,17,'2022-03-22',19500),
 (15,'Gulf Coast Cycling','Tampa',5,17,'2022-09-12',13000),
 (16,'Magnolia Bike Shop','Savannah',5,NULL,'2024-03-04',7500),
 (17,'Maple Leaf Bikes','Toronto',6,18,'2022-02-18',30500),
 (18,'Harbour Cycles','Vancouver',6,18,'2022-04-04',22000),
 (19,'Velo Quebec','Montreal',6,18,'2023-03-13',17000),
 (20,'Cycles Parisiens','Paris',7,19,'2022-03-08',15500),
 (21,'La Roue Libre','Lyon',7,19,'2022-10-03',8200),
 (22,'Radhaus Berlin','Berlin',8,20,'2022-02-22',28000),
 (23,'Fahrrad Zentrum','Munich',8,20,'2022-05-02',24500),
 (24,'Elbe Bikes','Hamburg',8,20,'2023-06-19',NULL),
 (25,'Southern Cross Cycles','Sydney',9,NULL,'2022-07-11',20500),
 (26,'Yarra Bikes','Melbourne',9,NULL,'2023-04-17',16500),
 (27,'Thames Cycle Works','London',10,19,'2022-02-28',31000),
 (28,'Northern Spokes','Manchester',10,19,'2022-11-07',10500),
 (29,'Clyde Wheelers','Glasgow',10,19,'2025-10-06',9800),
 (30,'Lakeside Velo','Chicago',3,NULL,'2025-11-03',8800);

-- 210 orders; every third one is online
INSERT INTO sales_order_header
  (sales_order_id, order_date, due_date, ship_date, status, online_order_flag, store_id, sales_person_id, territory_id, freight, comment)
SELECT 43000+g, d, d+14,
       CASE WHEN st=5 THEN d + 2 + pg_temp.h('ship'||g, CASE WHEN g % 9 = 0 THEN 18 ELSE 9 END) END,
       st, onl,
       CASE WHEN NOT onl THEN s.store_id END,
       CASE WHEN NOT onl THEN s.sales_person_id END,
       CASE WHEN onl THEN 1 + pg_temp.h('terr'||g,10) ELSE s.territory_id END,
       0,
       CASE pg_temp.h('cm'||g,17) WHEN 0 THEN 'Gift wrap requested' WHEN 1 THEN 'Call before delivery' WHEN 2 THEN 'Leave at the loading dock' END
FROM (SELECT g, (DATE '2022-03-01' + ((g-1)*1378/209 + pg_temp.h('d'||g,6)))::date AS d,
             g % 3 = 0 AS onl,
             CASE WHEN g <= 190 THEN CASE WHEN pg_temp.h('bo'||g,30)=0 THEN 3 ELSE 5 END
                  ELSE (ARRAY[1,2,3,5,5,1])[1+pg_temp.h('st'||g,6)] END AS st
      FROM generate_series(1,210) g) x
LEFT JOIN LATERAL (
  SELECT * FROM store WHERE opened_date <= x.d AND store_id NOT IN (16,29,30)
  ORDER BY md5('s'||x.g||'-'||(store_id/CASE WHEN x.g%2=0 THEN 1 ELSE 2 END)), store_id LIMIT 1) s ON true;

-- 1 to 4 lines per order, only products on sale at the order date
INSERT INTO sales_order_detail
SELECT sales_order_id, row_number() OVER (PARTITION BY sales_order_id ORDER BY k), product_id, qty, list_price, disc,
       round(qty*list_price*(1-disc),2)
FROM (
  SELECT h.sales_order_id, k, p.product_id, p.list_price,
         CASE WHEN h.online_order_flag THEN 1 + pg_temp.h('q'||h.sales_order_id||k,2)
              ELSE 1 + pg_temp.h('q'||h.sales_order_id||k,12) END AS qty,
         CASE WHEN h.online_order_flag THEN 0
              ELSE (ARRAY[0,0,0,0.05,0,0.10,0,0.15])[1+pg_temp.h('ds'||h.sales_order_id||k,8)] END AS disc
  FROM sales_order_header h
  CROSS JOIN LATERAL generate_series(1, 1+pg_temp.h('n'||h.sales_order_id,4)) k
  CROSS JOIN LATERAL (
     SELECT * FROM product p WHERE p.list_price > 0 AND p.product_id NOT IN (31,42,58)
       AND p.sell_start_date <= h.order_date AND (p.sell_end_date IS NULL OR p.sell_end_date >= h.order_date)
       AND p.product_id % 4 = k % 4
     ORDER BY md5('p'||h.sales_order_id||'-'||k||'-'||p.product_id) LIMIT 1) p
) y;

UPDATE sales_order_header h SET
  sub_total = t.s, tax_amt = round(t.s*0.08,2), freight = round(t.s*0.025,2),
  total_due = t.s + round(t.s*0.08,2) + round(t.s*0.025,2)
FROM (SELECT sales_order_id, sum(line_total) s FROM sales_order_detail GROUP BY 1) t
WHERE t.sales_order_id = h.sales_order_id;

COMMIT;
