-- When the provider's list of news is read again; null: now. Nodes claim an account by it.
alter table payment_accounts add column news_at bigint;
create index payment_accounts_news on payment_accounts (news_at);
