-- When an order that is not paid by then is cancelled; null: never. Orders of before have no term.
alter table orders add column payment_due_at bigint;
create index orders_unpaid_by_term on orders (payment_due_at)
  where payment_status = 'pending' and status = 'placed' and payment_due_at is not null;
