-- A shopper disputes a payment at their bank. As the provider reports it; it never moves an order.
create table disputes (
  installation_id text not null,
  id text not null,
  merchant_id text not null,
  payment_id text not null,
  -- The provider's own name of it.
  reference text not null,
  amount bigint not null check (amount >= 0),
  currency text not null,
  status text not null check (status in ('open', 'won', 'lost')),
  -- The provider's word for it.
  reason text,
  -- Until when the merchant may answer.
  due_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (installation_id, id),
  foreign key (installation_id, payment_id) references payments (installation_id, id)
);
create unique index disputes_of_payment on disputes (installation_id, payment_id, reference);
create index disputes_open on disputes (created_at) where status = 'open';
