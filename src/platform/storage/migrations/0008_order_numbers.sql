-- Where the count of a merchant's orders stands. It has a row of its own, so that whoever places an order does not wait for
-- whoever changes the catalog, and is not waited for by them.
create table order_numbers (
  merchant_id text not null primary key references merchants (id),
  last bigint not null
);
insert into order_numbers (merchant_id, last) select id, last_order_number from merchants where last_order_number > 1000;
alter table merchants drop column last_order_number;
