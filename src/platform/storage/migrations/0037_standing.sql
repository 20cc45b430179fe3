-- Where a refund was made: here, or at the provider by others. (Both are refunds of the order, so both are of the kind `refund`.)
alter table refunds add column origin text not null default 'here';
-- The provider's own name of it, once it is known.
alter table refunds add column reference text;
create unique index refunds_by_reference on refunds (installation_id, payment_id, reference) where reference is not null;
-- As the provider counts: what it took, and what went back of it.
alter table payments add column collected bigint not null default 0;
alter table payments add column given_back bigint not null default 0;
