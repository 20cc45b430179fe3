-- Passkeys of shoppers, at most ten for each mailbox of a shop and mode. Found by the id that the device names, and by the keyed hash of the
-- e-mail address, as saved addresses are.
create table customer_passkeys (
  merchant_id text not null,
  mode text not null,
  id text not null,
  email_hash text not null,
  email_sealed text not null,
  public_key text not null,
  counter bigint not null,
  transports text not null,
  created_at bigint not null,
  used_at bigint,
  primary key (merchant_id, mode, id)
);
create index customer_passkeys_of_customer on customer_passkeys (merchant_id, mode, email_hash);
