-- Since when a cart has changes that no event tells of: what a shopper changes on the checkout page is told together, by a
-- loop, or with the next event of the cart. Null where its last event is as new as the cart.
alter table carts add column untold_since bigint;
create index carts_untold on carts (untold_since) where untold_since is not null;
