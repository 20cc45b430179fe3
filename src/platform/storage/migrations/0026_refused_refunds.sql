-- How often the provider refused, apart from how often it was asked: no answer is not a refusal.
alter table refunds add column refused_tries bigint not null default 0;
update refunds set refused_tries = tries where status = 'pending';

-- A refund that failed before orders followed from it left its order waiting for ever.
update orders set payment_status = case when exists (
    select 1 from refunds r
    where r.installation_id = orders.installation_id and r.order_id = orders.id and r.kind = 'refund'
      and r.status = 'succeeded') then 'partially_refunded' else 'paid' end
where payment_status = 'refunding' and not exists (
  select 1 from refunds r
  where r.installation_id = orders.installation_id and r.order_id = orders.id and r.status = 'pending');
