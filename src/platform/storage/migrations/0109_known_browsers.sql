-- Browsers in which a shopper has shown that a mailbox is theirs. Codes that these ask for are counted apart, so a stranger who asks for codes of
-- the mailbox cannot use up what its owner needs.
create table customer_browsers (
  merchant_id text not null,
  mailbox_hash text not null,
  browser_hash text not null,
  proved_at bigint not null,
  primary key (merchant_id, mailbox_hash, browser_hash)
);
create index customer_browsers_by_proof on customer_browsers (proved_at);
-- 1: asked for by such a browser.
alter table customer_codes add column is_known bigint not null default 0;
