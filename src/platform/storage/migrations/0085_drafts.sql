-- Orders that a merchant makes for a shopper, who pays by a link: a checkout session whose cart has terms of its own. Deleted with the session.
create table drafts (
  merchant_id text not null,
  id text not null,
  mode text not null,
  installation_id text not null,
  session_id text not null,
  note text,
  created_at bigint not null,
  primary key (merchant_id, id)
);
create index drafts_by_age on drafts (merchant_id, mode, created_at desc, id desc);
create unique index drafts_of_session on drafts (merchant_id, installation_id, session_id);
-- The discount and the delivery that the merchant set, as JSON. A cart with terms is changed by nobody else.
alter table carts add column terms text;
-- The price that the merchant set for this line, in place of that of the catalog.
alter table cart_lines add column own_price bigint;
-- Its stock is held as long as it lasts.
alter table checkout_sessions add column holds_whole bigint not null default 0;
