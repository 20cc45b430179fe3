-- A refund that failed waits for a person until another one takes its place: a new try, or what the operator paid by hand.
alter table refunds add column replaced_by text;
-- Null: by the provider.
alter table refunds add column paid_by_hand_at bigint;
-- Those that were tried again before there was a place to say so.
update refunds set replaced_by = (
    select max(later.id) from refunds later
    where later.installation_id = refunds.installation_id and later.order_id = refunds.order_id
      and later.kind = refunds.kind and later.id <> refunds.id and later.created_at >= refunds.updated_at)
  where status = 'failed' and order_id is not null;
create index refunds_failed on refunds (created_at) where status = 'failed' and replaced_by is null;
create index refunds_of_payment on refunds (installation_id, payment_id);
