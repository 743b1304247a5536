-- Rows of Lago for `questions.py`: one organization, with customers, plans, subscriptions, invoices and payments.
insert into customers (id, external_id, name, organization_id, billing_entity_id, created_at, updated_at, country, city, currency, deleted_at)
select md5('customer' || i)::uuid, 'customer-' || i, (array['Acme', 'Globex', 'Initech', 'Hooli', 'Umbrella'])[1 + i % 5] || ' ' || i,
    md5('organization')::uuid, md5('entity')::uuid, timestamp '2026-01-01' + i * interval '1 day', '2026-02-01',
    (array['DE', 'FR', 'US', null])[1 + i % 4], (array['Berlin', 'Paris', 'Boston'])[1 + i % 3], (array['EUR', 'EUR', 'USD'])[1 + i % 3],
    case when i % 17 = 0 then timestamp '2026-03-01' end
from generate_series(1, 60) i;
insert into plans (id, organization_id, name, code, created_at, updated_at, amount_cents, amount_currency, "interval")
select md5('plan' || i)::uuid, md5('organization')::uuid, (array['Starter', 'Team', 'Business', 'Enterprise'])[i], 'plan_' || i,
    '2026-01-01', '2026-01-01', i * 2500, 'EUR', i % 2
from generate_series(1, 4) i;
insert into subscriptions (id, customer_id, plan_id, status, external_id, organization_id, started_at, terminated_at, created_at, updated_at)
select md5('subscription' || i)::uuid, md5('customer' || i % 60 + 1)::uuid, md5('plan' || i % 4 + 1)::uuid, (array[1, 1, 1, 2])[1 + i % 4],
    'subscription-' || i, md5('organization')::uuid, timestamp '2026-01-01' + i * interval '12 hours',
    case when i % 4 = 3 then timestamp '2026-06-01' end, '2026-01-01', '2026-01-01'
from generate_series(1, 90) i;
insert into invoices (id, customer_id, organization_id, billing_entity_id, created_at, updated_at, issuing_date, payment_due_date, currency, number,
    total_amount_cents, taxes_amount_cents, payment_status, status, payment_overdue)
select md5('invoice' || i)::uuid, md5('customer' || i % 60 + 1)::uuid, md5('organization')::uuid, md5('entity')::uuid, '2026-01-01', '2026-01-01',
    date '2026-01-01' + i, date '2026-01-31' + i, (array['EUR', 'EUR', 'USD'])[1 + i % 3], 'INV-' || lpad(i::text, 4, '0'), i * 130 % 9700, i * 13 % 970,
    i % 3, (array[1, 1, 0])[1 + i % 3], i % 10 = 0
from generate_series(1, 240) i;
insert into payments (id, invoice_id, customer_id, organization_id, amount_cents, amount_currency, status, created_at, updated_at)
select md5('payment' || i)::uuid, md5('invoice' || i)::uuid, md5('customer' || i % 60 + 1)::uuid, md5('organization')::uuid, i * 130 % 9700,
    (array['EUR', 'EUR', 'USD'])[1 + i % 3], (array['succeeded', 'failed', 'pending'])[1 + i % 3], timestamp '2026-02-01' + i * interval '6 hours', '2026-02-01'
from generate_series(1, 150) i;
