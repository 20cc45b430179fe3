-- What a payment was really made with at its provider, such as sepa_debit or apple_pay: the provider's word, null where it has none.
alter table payments add column instrument text;
-- Of a merchant by how they ended, for reports of what was lost.
create index disputes_of_merchant on disputes (merchant_id, status);
