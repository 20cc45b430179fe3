-- How the check of the buyer's VAT number stands: JSON, without the number, which is sealed with the customer. Null: none was given.
alter table carts add column vat text;
alter table orders add column vat text;
-- Why no tax was charged on the whole order. Null: tax was charged, or the order is from before reasons were stored.
alter table orders add column tax_relief text;
