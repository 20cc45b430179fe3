-- Payments at accounts of merchants whose orders were placed, and whose provider is to be told the number of the order: a row is deleted once
-- the provider knows it, refuses it, or has not answered for a day.
create table payment_labels (
  installation_id text not null,
  payment_id text not null,
  due_at bigint not null,
  tries bigint not null default 0,
  created_at bigint not null,
  constraint payment_labels_pkey primary key (installation_id, payment_id)
);

create index payment_labels_due on payment_labels (due_at);
