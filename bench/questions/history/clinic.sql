-- What the people of a chain of clinics ask of bench/schemas/clinic.sql, in their own words: physicians who have
-- left do not count, nor patients who have died; collections are what insurers paid, by the day of the payment,
-- visits belong to the physician who was seen, not to the one who referred.
SELECT count(*) FROM physicians WHERE left_on IS NULL;
SELECT spec_cd, count(*) FROM physicians WHERE left_on IS NULL GROUP BY 1;
SELECT s.descr, count(*) FROM physicians p JOIN specialties s ON s.spec_cd = p.spec_cd WHERE p.left_on IS NULL GROUP BY 1;
SELECT last_nm, first_nm FROM physicians WHERE left_on IS NULL AND site_id = 3 ORDER BY 1;
SELECT s.site_nm, avg(p.annual_sal) FROM physicians p JOIN sites s USING (site_id) WHERE p.left_on IS NULL GROUP BY 1;
SELECT sum(annual_sal) AS payroll FROM physicians WHERE left_on IS NULL;
SELECT s.site_nm, sum(p.annual_sal) AS payroll FROM physicians p JOIN sites s USING (site_id) WHERE p.left_on IS NULL GROUP BY 1;
SELECT count(*) FROM patients WHERE deceased_on IS NULL;
SELECT state_cd, count(*) FROM patients WHERE deceased_on IS NULL GROUP BY 1;
SELECT fname, lname, email FROM patients WHERE deceased_on IS NULL AND email IS NOT NULL;
SELECT i.name, count(*) FROM patients p JOIN insurers i USING (insurer_id) WHERE p.deceased_on IS NULL GROUP BY 1;
SELECT sex_cd, count(*) FROM patients WHERE deceased_on IS NULL AND city = 'Boston' GROUP BY 1;
SELECT mrn FROM patients WHERE deceased_on IS NULL AND dob < '1950-01-01';
SELECT sum(paid_amt) AS collections FROM claims WHERE paid_on IS NOT NULL;
SELECT date_trunc('month', paid_on) AS month, sum(paid_amt) AS collections FROM claims WHERE paid_on IS NOT NULL GROUP BY 1;
SELECT i.name, sum(c.paid_amt) AS collections FROM claims c JOIN insurers i ON i.insurer_id = c.insurer_id WHERE c.paid_on IS NOT NULL GROUP BY 1;
SELECT s.site_nm, sum(c.paid_amt) AS collections FROM claims c JOIN appts a USING (appt_id) JOIN sites s ON s.site_id = a.site_id WHERE c.paid_on IS NOT NULL GROUP BY 1;
SELECT sum(billed_amt) FROM claims WHERE paid_on IS NULL;
SELECT sum(billed_amt - coalesce(paid_amt, 0)) AS write_offs FROM claims;
SELECT i.name, sum(c.billed_amt - coalesce(c.paid_amt, 0)) AS write_offs FROM claims c JOIN insurers i ON i.insurer_id = c.insurer_id GROUP BY 1;
SELECT count(*) FILTER (WHERE denial_reason IS NOT NULL) AS denials FROM claims WHERE submitted_on >= '2026-01-01';
SELECT i.name, count(*) FILTER (WHERE c.denial_reason IS NOT NULL) AS denials FROM claims c JOIN insurers i ON i.insurer_id = c.insurer_id GROUP BY 1;
SELECT sum(r.qty * d.unit_price) AS drug_spend FROM rx r JOIN drugs d ON d.drug_id = r.drug_id;
SELECT d.generic_nm, sum(r.qty * d.unit_price) AS drug_spend FROM rx r JOIN drugs d ON d.drug_id = r.drug_id GROUP BY 1 ORDER BY 2 DESC;
SELECT date_trunc('month', r.issued_on), sum(r.qty * d.unit_price) AS drug_spend FROM rx r JOIN drugs d ON d.drug_id = r.drug_id GROUP BY 1;
SELECT count(DISTINCT pat_id) AS panel FROM appts WHERE sched_at > now() - interval '1 year';
SELECT p.last_nm, count(DISTINCT a.pat_id) AS panel FROM appts a JOIN physicians p ON p.phys_id = a.phys_id WHERE p.left_on IS NULL GROUP BY p.phys_id, 1;
SELECT p.last_nm, count(*) FROM appts a JOIN physicians p ON p.phys_id = a.phys_id WHERE p.left_on IS NULL GROUP BY p.phys_id, 1;
SELECT p.last_nm, avg(a.dur_min) FROM appts a JOIN physicians p ON p.phys_id = a.phys_id WHERE p.left_on IS NULL GROUP BY p.phys_id, 1;
SELECT s.site_nm, count(*) FILTER (WHERE a.is_telehealth) AS virtual_visits FROM appts a JOIN sites s ON s.site_id = a.site_id GROUP BY 1;
SELECT date_trunc('month', sched_at), count(*) FILTER (WHERE is_telehealth) AS virtual_visits FROM appts GROUP BY 1;
SELECT status, count(*) FROM appts GROUP BY 1;
SELECT d.descr, count(*) FROM appt_dx x JOIN diagnoses d ON d.dx_cd = x.dx_cd GROUP BY 1 ORDER BY 2 DESC;
