-- Addresses that shoppers save in their account, at most twenty for each. Found by the keyed hash of the e-mail address, as orders are. The one
-- that was chosen last is the default.
create table customer_addresses (
  merchant_id text not null,
  id text not null,
  mode text not null,
  email_hash text not null,
  sealed text not null,
  chosen_at bigint not null,
  created_at bigint not null,
  primary key (merchant_id, id)
);
create index customer_addresses_of_customer on customer_addresses (merchant_id, mode, email_hash);
