-- Whether lists show the name of who ordered (shown) or a masked e-mail address (masked).
alter table merchants add column customer_names text not null default 'shown';
-- Which version of the search words an order has. A loop writes those of orders below the present version.
alter table orders add column words_version bigint not null default 0;
create index orders_without_words on orders (placed_at) where words_version < 2;
-- Orders by what they contain, the newest first.
create index order_lines_of_code on order_lines (merchant_id, code, order_id);
