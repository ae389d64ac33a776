DROP SCHEMA IF EXISTS lawfirm CASCADE;
CREATE SCHEMA lawfirm;
SET search_path TO lawfirm;

CREATE FUNCTION pg_temp.h(k text, i int) RETURNS int LANGUAGE sql IMMUTABLE AS
$$ SELECT ('x'||substr(md5(k||'/'||i::text),1,7))::bit(28)::int $$;

CREATE TABLE lawyers (
  lawyer_id      int PRIMARY KEY,
  first_name     text NOT NULL,
  last_name      text NOT NULL,
  position       text NOT NULL,
  office         text NOT NULL,
  practice_area  text NOT NULL,
  standard_rate  numeric(8,2) NOT NULL,
  hired_on       date NOT NULL,
  left_on        date,
  supervisor_id  int REFERENCES lawyers(lawyer_id)
);

INSERT INTO lawyers
SELECT i,
 (ARRAY['Margaret','Daniel','Priya','Howard','Eleanor','Tobias','Fiona','Samuel','Ingrid','Rashid','Claire','Oliver','Beatrice','Kwame','Helen','Marcus','Yasmin','Patrick','Sophie','Adam','Lucy','Dmitri','Grace','Nathan','Amelia','Jonas','Harriet','Vikram','Rosa','Callum','Isla','Femi','Tamsin','Leo'])[i],
 (ARRAY['Ashworth','Okafor','Raman','Bellamy','Castellan','Brandt','Macleod','Whitcombe','Solberg','Aziz','Dunmore','Fairfax','Lindqvist','Mensah','Prescott','Thorne','Haddad','Gallagher','Winslow','Kowalski','Pemberton','Volkov','Nakamura','Ellery','Stanhope','Meyer','Quill','Sethi','Delgado','Fraser','Munro','Adeyemi','Hartnell','Rossi'])[i],
 CASE WHEN i<=7 THEN 'Partner' WHEN i<=10 THEN 'Counsel' WHEN i<=18 THEN 'Senior Associate' WHEN i<=30 THEN 'Associate' ELSE 'Trainee' END,
 (ARRAY['London','London','Manchester','Bristol','London','Leeds','Manchester','Bristol'])[pg_temp.h('off',i)%8+1],
 (ARRAY['Corporate','Employment','Litigation','Real Estate','Family','Private Client','Intellectual Property'])[(i-1)%7+1],
 CASE WHEN i<=7 THEN 420 + pg_temp.h('rt',i)%14*10 WHEN i<=10 THEN 360 + pg_temp.h('rt',i)%6*10 WHEN i<=18 THEN 280 + pg_temp.h('rt',i)%8*10 WHEN i<=30 THEN 190 + pg_temp.h('rt',i)%9*10 ELSE 120 + pg_temp.h('rt',i)%4*10 END,
 CASE WHEN i<=7 THEN DATE '2001-03-01' + pg_temp.h('hd',i)%4000
      WHEN i<=18 THEN DATE '2009-01-05' + pg_temp.h('hd',i)%3800
      WHEN i<=26 THEN DATE '2016-09-01' + pg_temp.h('hd',i)%1900
      ELSE DATE '2022-02-01' + pg_temp.h('hd',i)%800 END,
 CASE i WHEN 9 THEN DATE '2023-06-30' WHEN 15 THEN DATE '2024-03-29' WHEN 20 THEN DATE '2022-11-30' WHEN 24 THEN DATE '2024-08-16' WHEN 31 THEN DATE '2024-09-30' END,
 CASE WHEN i<=7 THEN NULL WHEN i<=18 THEN (i-1)%7+1 WHEN i IN (19,20,21,22,26,29,33) THEN (i-1)%7+1 ELSE 11 + (i-1)%7 END
FROM generate_series(1,34) i;

CREATE TABLE clients (
  client_id               int PRIMARY KEY,
  client_name             text NOT NULL UNIQUE,
  client_type             text NOT NULL,
  industry                text,
  city                    text NOT NULL,
  email                   text,
  onboarded_on            date NOT NULL,
  relationship_partner_id int NOT NULL REFERENCES lawyers(lawyer_id),
  payment_terms_days      int NOT NULL,
  referred_by_client_id   int REFERENCES clients(client_id),
  is_active               boolean NOT NULL
);

INSERT INTO clients
SELECT i, nm, typ,
 CASE WHEN typ='Company' THEN (ARRAY['Manufacturing','Retail','Technology','Construction','Hospitality','Logistics','Financial Services'])[pg_temp.h('ind',i)%7+1] END,
 (ARRAY['London','Manchester','Bristol','Leeds','Birmingham','Oxford','London','York','Cardiff','Reading'])[pg_temp.h('cty',i)%10+1],
 CASE WHEN pg_temp.h('em',i)%8=0 THEN NULL ELSE 'contact@'||lower(regexp_replace(nm,'[^A-Za-z]','','g'))||'.example' END,
 CASE WHEN i<=70 THEN DATE '2015-01-10' + pg_temp.h('ob',i)%2500 ELSE DATE '2022-01-03' + pg_temp.h('ob',i)%1050 END,
 1 + pg_temp.h('rp',i)%7,
 (ARRAY[14,30,30,30,45,60])[pg_temp.h('pt',i)%6+1],
 CASE WHEN i>40 AND pg_temp.h('rf',i)%4=0 THEN 1 + pg_temp.h('rfc',i)%24 END,
 pg_temp.h('ac',i)%9 <> 0
FROM (
 SELECT i,
  CASE WHEN pg_temp.h('typ',i)%20 < 11 THEN 'Company' WHEN pg_temp.h('typ',i)%20 < 18 THEN 'Individual' ELSE 'Public body' END typ,
  CASE WHEN pg_temp.h('typ',i)%20 < 11 THEN
     (ARRAY['Ashdown','Birchfield','Calder','Dovecote','Eastgate','Farrow','Glenmore','Halyard','Ironbridge','Juniper','Kestrel','Larkspur','Meridian','Northwind','Orchard','Pinnacle','Quayside','Ravensworth','Silverline','Tamar','Umberleigh','Vantage','Westbrook','Yewtree','Zenith'])[(i-1)%25+1]||' '||
     (ARRAY['Foods','Logistics','Holdings','Systems','Builders','Hotels'])[(i-1)/25+1]||' Ltd'
  WHEN pg_temp.h('typ',i)%20 < 18 THEN
     (ARRAY['Anna','Brian','Carla','Derek','Edith','Frank','Gwen','Hugh','Irene','James','Karen'])[i%11+1]||' '||
     (ARRAY['Abbott','Barlow','Crossley','Drummond','Eastwood','Fenton','Garrick','Holloway','Irving','Jessop','Kendrick','Lovell','Mortimer'])[i%13+1]
  ELSE (ARRAY['','North ','South ','Upper ','Great '])[i/28%5+1]||(ARRAY['Aldermoor','Brackley','Cheswold','Denham','Elmswell','Fordham','Garsdale'])[i%7+1]||' '||(ARRAY['Borough Council','NHS Trust','Police Authority','Water Board'])[(i/7)%4+1] END nm
 FROM generate_series(1,140) i) s;

CREATE TABLE matters (
  matter_id             int PRIMARY KEY,
  matter_number         text NOT NULL UNIQUE,
  client_id             int NOT NULL REFERENCES clients(client_id),
  title                 text NOT NULL,
  practice_area         text NOT NULL,
  responsible_lawyer_id int NOT NULL REFERENCES lawyers(lawyer_id),
  opened_on             date NOT NULL,
  closed_on             date,
  status                text NOT NULL,
  fee_arrangement       text NOT NULL,
  agreed_fee            numeric(10,2),
  fee_budget            numeric(10,2),
  opposing_party        text
);

INSERT INTO matters
SELECT i, 'M'||to_char(op,'YY')||'-'||lpad(i::text,4,'0'), cl,
 CASE area
  WHEN 1 THEN (ARRAY['Share purchase','Shareholder agreement','Company reorganisation','Joint venture'])[t]
  WHEN 2 THEN (ARRAY['Unfair dismissal claim','Settlement agreement','Redundancy programme','Discrimination claim'])[t]
  WHEN 3 THEN (ARRAY['Breach of contract','Debt recovery','Professional negligence','Injunction'])[t]
  WHEN 4 THEN (ARRAY['Lease renewal','Site acquisition','Property sale','Planning agreement'])[t]
  WHEN 5 THEN (ARRAY['Divorce','Child arrangements','Financial remedy','Prenuptial agreement'])[t]
  WHEN 6 THEN (ARRAY['Will and estate planning','Probate','Trust administration','Lasting power of attorney'])[t]
  ELSE (ARRAY['Trade mark application','Patent dispute','Licence agreement','Copyright infringement'])[t] END,
 (ARRAY['Corporate','Employment','Litigation','Real Estate','Family','Private Client','Intellectual Property'])[area],
 lw, op,
 CASE WHEN op+dur < DATE '2024-12-20' AND r%10<7 THEN op+dur END,
 CASE WHEN op+dur < DATE '2024-12-20' AND r%10<7 THEN 'Closed' WHEN r%7=0 THEN 'On hold' ELSE 'Open' END,
 fa,
 CASE WHEN fa='Fixed fee' THEN 1500 + (pg_temp.h('af',i)%90)*125 END,
 CASE WHEN fa='Hourly' AND pg_temp.h('fb',i)%6<>0 THEN 3000 + (pg_temp.h('fbv',i)%70)*200 END,
 CASE WHEN area IN (2,3,5,7) AND pg_temp.h('opp',i)%7<>0 THEN
   (ARRAY['Hartwell','Ogilvie','Penrose','Stokes','Trent','Underhill','Varley','Wexford','Blackwood','Cranmer'])[pg_temp.h('o1',i)%10+1]||
   CASE WHEN area=5 THEN '' ELSE ' '||(ARRAY['plc','& Sons','Group','Partners'])[pg_temp.h('o2',i)%4+1] END END
FROM (
 SELECT i, area, t, r, dur, fa, cl,
   CASE WHEN k<4 THEN area+7 WHEN k<7 THEN area+14 WHEN k<9 THEN area ELSE LEAST(area+21,26) END lw,
   op - CASE extract(isodow FROM op)::int WHEN 6 THEN 1 WHEN 7 THEN 2 ELSE 0 END op
 FROM (
  SELECT i, CASE WHEN c.client_type='Individual' THEN (ARRAY[2,3,4,5,5,6,6])[1+pg_temp.h('ar',i)%7] ELSE (ARRAY[1,1,2,3,4,7,7])[1+pg_temp.h('ar',i)%7] END area, 1+pg_temp.h('t',i)%4 t, pg_temp.h('r',i) r, 60+pg_temp.h('du',i)%480 dur, pg_temp.h('k',i)%10 k,
   CASE WHEN pg_temp.h('fa',i)%20<12 THEN 'Hourly' WHEN pg_temp.h('fa',i)%20<18 THEN 'Fixed fee' ELSE 'Pro bono' END fa,
   c.client_id cl,
   GREATEST(c.onboarded_on + 1 + pg_temp.h('od2',i)%20, DATE '2022-01-05' + (i*4) - pg_temp.h('od',i)%3) op
  FROM generate_series(1,260) i
  JOIN LATERAL (
    SELECT client_id, client_type, onboarded_on FROM clients
    WHERE client_id <= 132 AND onboarded_on < DATE '2022-01-05' + i*4
    ORDER BY pg_temp.h('mc'||i::text, CASE WHEN client_id<=25 THEN client_id ELSE client_id*3 END) LIMIT 1) c ON true
 ) a ) b;

-- a lawyer who had already left cannot take on a new matter
UPDATE matters m SET responsible_lawyer_id = (l.lawyer_id-1)%7+1
FROM lawyers l WHERE l.lawyer_id=m.responsible_lawyer_id AND l.left_on <= m.opened_on;

CREATE TABLE matter_team (
  matter_id int NOT NULL REFERENCES matters(matter_id),
  lawyer_id int NOT NULL REFERENCES lawyers(lawyer_id),
  team_role text NOT NULL,
  joined_on date NOT NULL,
  PRIMARY KEY (matter_id, lawyer_id)
);
INSERT INTO matter_team SELECT matter_id, responsible_lawyer_id, 'Lead', opened_on FROM matters;
INSERT INTO matter_team
SELECT m.matter_id, l.lawyer_id, CASE WHEN l.position IN ('Partner','Counsel') THEN 'Reviewer' ELSE 'Support' END, m.opened_on + pg_temp.h('jo'||x,m.matter_id)%25
FROM matters m CROSS JOIN generate_series(1,3) x
JOIN lawyers l ON l.lawyer_id = CASE WHEN x=1 THEN (pg_temp.h('tm1',m.matter_id)%4)*7 + (SELECT lawyer_id FROM lawyers p WHERE p.practice_area=m.practice_area AND lawyer_id<=7) + 7
                                     ELSE 1 + pg_temp.h('tmx'||x,m.matter_id)%34 END
WHERE l.hired_on <= m.opened_on AND (l.left_on IS NULL OR l.left_on > m.opened_on + 60)
  AND pg_temp.h('tmy'||x,m.matter_id)%10 < 7
ON CONFLICT DO NOTHING;

CREATE TABLE activity_codes (
  activity_code text PRIMARY KEY,
  description   text NOT NULL,
  category      text NOT NULL
);
INSERT INTO activity_codes VALUES
('A101','Plan and prepare','Preparation'),('A102','Legal research','Preparation'),('A103','Draft or revise documents','Drafting'),
('A104','Review or analyse documents','Review'),('A105','Internal communication','Communication'),('A106','Client communication','Communication'),
('A107','Communication with opposing counsel','Communication'),('A108','Communication with third parties','Communication'),
('A109','Court appearance','Advocacy'),('A110','File management','Administration'),('A111','Travel','Administration'),
('A112','Negotiation','Advocacy'),('A113','Due diligence','Review'),('A114','Witness interview','Advocacy'),('A115','Disclosure','Review'),
('A116','Training on the matter','Administration'),('A117','Site visit','Preparation'),('A118','Costs and billing','Administration'),
('A119','Mediation','Advocacy'),('A120','Translation','Drafting'),('A121','Completion meeting','Advocacy');

CREATE TABLE invoices (
  invoice_id      int PRIMARY KEY,
  invoice_number  text NOT NULL UNIQUE,
  matter_id       int NOT NULL REFERENCES matters(matter_id),
  issued_on       date NOT NULL,
  due_on          date NOT NULL,
  fees_amount     numeric(10,2) NOT NULL,
  expenses_amount numeric(10,2) NOT NULL DEFAULT 0,
  vat_amount      numeric(10,2) NOT NULL DEFAULT 0,
  total_amount    numeric(10,2) NOT NULL DEFAULT 0,
  status          text NOT NULL
);

CREATE TABLE time_entries (
  entry_id      int PRIMARY KEY,
  matter_id     int NOT NULL REFERENCES matters(matter_id),
  lawyer_id     int NOT NULL REFERENCES lawyers(lawyer_id),
  work_date     date NOT NULL,
  activity_code text NOT NULL REFERENCES activity_codes(activity_code),
  hours         numeric(4,1) NOT NULL,
  is_billable   boolean NOT NULL,
  hourly_rate   numeric(8,2),
  invoice_id    int REFERENCES invoices(invoice_id)
);

INSERT INTO time_entries
SELECT row_number() OVER (ORDER BY d, matter_id, n), matter_id, lawyer_id, d,
 'A'||(101 + pg_temp.h('acd'||n,matter_id)%18), hrs, bill,
 CASE WHEN bill THEN round(standard_rate*CASE extract(year FROM d)::int WHEN 2022 THEN 0.90 WHEN 2023 THEN 0.95 ELSE 1 END/5)*5 END, NULL
FROM (
 SELECT m.matter_id, g.n, tm.lawyer_id, l.standard_rate, l.hired_on, l.left_on,
   w.d0 - CASE WHEN extract(isodow FROM w.d0)=7 THEN 2 WHEN extract(isodow FROM w.d0)=6 AND pg_temp.h('sat'||g.n,m.matter_id)%4<>0 THEN 1 ELSE 0 END d,
   (3 + pg_temp.h('hr'||g.n,m.matter_id)%57)/10.0 hrs,
   m.fee_arrangement<>'Pro bono' AND pg_temp.h('bl'||g.n,m.matter_id)%100 < 80 bill
 FROM matters m
 CROSS JOIN LATERAL generate_series(1, 3+pg_temp.h('ne',m.matter_id)%18) g(n)
 CROSS JOIN LATERAL (SELECT m.opened_on + ((LEAST(COALESCE(m.closed_on,DATE '2024-12-30'),DATE '2024-12-30') - m.opened_on) * ((pg_temp.h('wd'||g.n,m.matter_id)%1000)/1000.0))::int d0) w
 CROSS JOIN LATERAL (SELECT lawyer_id FROM matter_team t WHERE t.matter_id=m.matter_id AND t.joined_on <= w.d0 ORDER BY pg_temp.h('tl'||g.n||'-'||m.matter_id,t.lawyer_id) LIMIT 1) tm
 JOIN lawyers l ON l.lawyer_id=tm.lawyer_id
) s WHERE d >= hired_on AND (left_on IS NULL OR d <= left_on) AND pg_temp.h('idle',matter_id)%23<>0;

INSERT INTO invoices(invoice_id, invoice_number, matter_id, issued_on, due_on, fees_amount, status)
SELECT rn, 'INV-'||to_char(iss,'YYYY')||'-'||lpad((row_number() OVER (PARTITION BY extract(year FROM iss) ORDER BY rn))::text,4,'0'), matter_id, iss, iss+terms, fees, 'Sent'
FROM (
 SELECT row_number() OVER (ORDER BY iss, matter_id) rn, * FROM (
  SELECT m.matter_id, c.payment_terms_days terms,
    (date_trunc('quarter',t.work_date)+interval '3 months')::date + 3 + pg_temp.h('is'||date_trunc('quarter',t.work_date)::date,m.matter_id)%22 iss,
    CASE WHEN m.fee_arrangement='Fixed fee' THEN round(m.agreed_fee/ count(*) OVER (PARTITION BY m.matter_id),2) ELSE t.fees END fees
  FROM (SELECT matter_id, date_trunc('quarter',work_date)::date work_date, sum(hours*hourly_rate) fees FROM time_entries WHERE is_billable GROUP BY 1,2) t
  JOIN matters m USING (matter_id) JOIN clients c USING (client_id)
  WHERE t.work_date < DATE '2024-10-01' AND pg_temp.h('skip'||t.work_date,m.matter_id)%11<>0
 ) a ) b;

UPDATE time_entries t SET invoice_id=i.invoice_id FROM invoices i
WHERE i.matter_id=t.matter_id AND t.is_billable AND date_trunc('quarter',t.work_date)=date_trunc('quarter',i.issued_on)-interval '3 months';

CREATE TABLE expenses (
  expense_id   int PRIMARY KEY,
  matter_id    int NOT NULL REFERENCES matters(matter_id),
  incurred_on  date NOT NULL,
  expense_type text NOT NULL,
  amount       numeric(9,2) NOT NULL,
  is_rechargeable boolean NOT NULL,
  invoice_id   int REFERENCES invoices(invoice_id)
);
INSERT INTO expenses
SELECT row_number() OVER (ORDER BY d, matter_id, n), matter_id, d,
 (ARRAY['Court fee','Expert report','Travel','Courier','Search fee','Counsel fee','Translation'])[et],
 round(CASE et WHEN 1 THEN 150+v*3.1 WHEN 2 THEN 600+v*8.3 WHEN 3 THEN 20+v*0.9 WHEN 4 THEN 8+v*0.11 WHEN 5 THEN 15+v*0.4 WHEN 6 THEN 450+v*6.7 ELSE 90+v*1.7 END,2),
 rc, NULL
FROM (
 SELECT m.matter_id, n, m.opened_on + ((COALESCE(m.closed_on,DATE '2024-12-28')-m.opened_on)*((pg_temp.h('xd'||n,m.matter_id)%1000)/1000.0))::int d,
  1+pg_temp.h('xt'||n,m.matter_id)%7 et, pg_temp.h('xv'||n,m.matter_id)%400 v, pg_temp.h('xr'||n,m.matter_id)%7<>0 rc
 FROM matters m CROSS JOIN LATERAL generate_series(1,pg_temp.h('xn',m.matter_id)%6) n) s;
UPDATE expenses e SET invoice_id=i.invoice_id FROM invoices i
WHERE i.matter_id=e.matter_id AND e.is_rechargeable AND date_trunc('quarter',e.incurred_on)=date_trunc('quarter',i.issued_on)-interval '3 months';
UPDATE invoices i SET expenses_amount=COALESCE((SELECT sum(amount) FROM expenses e WHERE e.invoice_id=i.invoice_id),0);
UPDATE invoices SET vat_amount=round((fees_amount+expenses_amount)*0.20,2);
UPDATE invoices SET total_amount=fees_amount+expenses_amount+vat_amount;

CREATE TABLE payments (
  payment_id  int PRIMARY KEY,
  invoice_id  int NOT NULL REFERENCES invoices(invoice_id),
  received_on date NOT NULL,
  amount      numeric(10,2) NOT NULL,
  method      text NOT NULL,
  reference   text
);
INSERT INTO payments
SELECT row_number() OVER (ORDER BY d, invoice_id, x), invoice_id, d, a,
 (ARRAY['Bank transfer','Bank transfer','Bank transfer','Card','Cheque','Client account transfer'])[pg_temp.h('pm'||x,invoice_id)%6+1],
 CASE WHEN pg_temp.h('ref'||x,invoice_id)%5<>0 THEN invoice_number END
FROM (
 SELECT invoice_id, invoice_number, 1 x, issued_on + 6 + pg_temp.h('p1',invoice_id)%72 d,
   CASE WHEN r<76 AND r%5<>0 THEN total_amount ELSE round(total_amount*(0.3+(pg_temp.h('ps',invoice_id)%40)/100.0),2) END a
 FROM (SELECT *, pg_temp.h('ist',invoice_id)%100 r FROM invoices) i WHERE r<86
 UNION ALL
 SELECT invoice_id, invoice_number, 2, issued_on + 6 + pg_temp.h('p1',invoice_id)%72 + 12 + pg_temp.h('p2',invoice_id)%40,
   total_amount - round(total_amount*(0.3+(pg_temp.h('ps',invoice_id)%40)/100.0),2)
 FROM (SELECT *, pg_temp.h('ist',invoice_id)%100 r FROM invoices) i WHERE r<76 AND r%5=0
) s WHERE d <= DATE '2024-12-31';
UPDATE invoices i SET status = CASE WHEN p.paid = i.total_amount THEN 'Paid' WHEN p.paid > 0 THEN 'Part paid' WHEN pg_temp.h('ist',i.invoice_id)%100 >= 97 AND i.issued_on < '2024-06-01' THEN 'Written off' ELSE 'Sent' END
FROM (SELECT i2.invoice_id, COALESCE(sum(p.amount),0) paid FROM invoices i2 LEFT JOIN payments p USING (invoice_id) GROUP BY 1) p
WHERE p.invoice_id=i.invoice_id;

CREATE TABLE courts (
  court_id   int PRIMARY KEY,
  court_name text NOT NULL,
  city       text NOT NULL,
  court_type text NOT NULL
);
INSERT INTO courts
SELECT i, c||' '||CASE (i-1)/6 WHEN 0 THEN 'County Court' WHEN 1 THEN 'Employment Tribunal' WHEN 2 THEN 'Family Court' ELSE 'High Court Registry' END, c,
 CASE (i-1)/6 WHEN 0 THEN 'County Court' WHEN 1 THEN 'Employment Tribunal' WHEN 2 THEN 'Family Court' ELSE 'High Court' END
FROM (SELECT i, (ARRAY['London','Manchester','Bristol','Leeds','Birmingham','Cardiff'])[(i-1)%6+1] c FROM generate_series(1,24) i) s;

CREATE TABLE court_dates (
  court_date_id       int PRIMARY KEY,
  matter_id           int NOT NULL REFERENCES matters(matter_id),
  court_id            int NOT NULL REFERENCES courts(court_id),
  hearing_date        date NOT NULL,
  start_time          time,
  hearing_type        text NOT NULL,
  attending_lawyer_id int REFERENCES lawyers(lawyer_id),
  outcome             text
);
INSERT INTO court_dates
SELECT row_number() OVER (ORDER BY d, matter_id, n), matter_id,
 CASE practice_area WHEN 'Employment' THEN 7 WHEN 'Family' THEN 13 WHEN 'Litigation' THEN (CASE WHEN pg_temp.h('hc',matter_id)%3=0 THEN 19 ELSE 1 END) ELSE 19 END + pg_temp.h('cc',matter_id)%6%5 + CASE WHEN pg_temp.h('cc3',matter_id)%9=0 THEN 1 ELSE 0 END,
 d, CASE WHEN pg_temp.h('st'||n,matter_id)%12<>0 THEN TIME '09:30' + (pg_temp.h('st'||n,matter_id)%11)*interval '30 minutes' END,
 CASE WHEN n=tot AND tot>1 THEN 'Trial' ELSE (ARRAY['Directions hearing','Case management','Interim application','Pre-trial review'])[pg_temp.h('ht'||n,matter_id)%4+1] END,
 CASE WHEN pg_temp.h('at'||n,matter_id)%8<>0 THEN responsible_lawyer_id END,
 CASE WHEN d <= DATE '2024-12-31' AND pg_temp.h('oc'||n,matter_id)%14<>0 THEN
   CASE WHEN pg_temp.h('oc'||n,matter_id)%5=0 THEN 'Adjourned' WHEN n=tot AND tot>1 THEN (ARRAY['Won','Won','Lost','Settled'])[pg_temp.h('oc2'||n,matter_id)%4+1] ELSE (ARRAY['Order made','Order made','Settled'])[pg_temp.h('oc2'||n,matter_id)%3+1] END END
FROM (
 SELECT m.matter_id, m.practice_area, m.responsible_lawyer_id, n, tot,
   dd - CASE extract(isodow FROM dd)::int WHEN 6 THEN 1 WHEN 7 THEN 2 ELSE 0 END d
 FROM matters m
 CROSS JOIN LATERAL (SELECT pg_temp.h('hn',m.matter_id)%5 tot) q
 CROSS JOIN LATERAL generate_series(1,tot) n
 CROSS JOIN LATERAL (SELECT m.opened_on + 3 + ((COALESCE(m.closed_on, DATE '2025-03-15')-m.opened_on-3)*(n-0.5+((pg_temp.h('hd'||n,m.matter_id)%80)-40)/100.0)/tot)::int dd) w
 WHERE m.practice_area IN ('Litigation','Employment','Family','Intellectual Property')) s;

CREATE TABLE conflict_checks (
  check_id    int PRIMARY KEY,
  matter_id   int NOT NULL REFERENCES matters(matter_id),
  checked_on  date NOT NULL,
  checked_by  int NOT NULL REFERENCES lawyers(lawyer_id),
  result      text NOT NULL,
  notes       text
);
INSERT INTO conflict_checks
SELECT row_number() OVER (ORDER BY d, matter_id), matter_id, d, lw,
 r, CASE r WHEN 'Waived' THEN 'Waiver signed by client' WHEN 'Conflict' THEN 'Escalated to managing partner' END
FROM (
 SELECT m.matter_id, m.opened_on - 8 + pg_temp.h('cd',m.matter_id)%11 d,
  COALESCE((SELECT lawyer_id FROM lawyers l WHERE l.position IN ('Associate','Trainee') AND hired_on < m.opened_on-8 AND (left_on IS NULL OR left_on > m.opened_on+3) ORDER BY pg_temp.h('cb'||m.matter_id,lawyer_id) LIMIT 1),1) lw,
  CASE WHEN pg_temp.h('cr',m.matter_id)%20<17 THEN 'Clear' WHEN pg_temp.h('cr',m.matter_id)%20<19 THEN 'Waived' ELSE 'Conflict' END r
 FROM matters m WHERE pg_temp.h('cx',m.matter_id)%12<>0) s;
