-- What each SKU cost while its product was published: a price and the claim beside it, from an instant on until the next row of the SKU.
-- Written with the price, and read only to compute `skus.prior_price`. The catalog is shared by the modes, so both have the same prices.
create table price_history (
  merchant_id text not null,
  sku_id text not null,
  from_at bigint not null,
  price bigint not null,
  -- Not null: a reduction is announced.
  compare_at_price bigint,
  constraint price_history_pkey primary key (merchant_id, sku_id, from_at)
);
-- The lowest price of the 30 days before the announced reduction began. Null: no reduction may be shown.
alter table skus add column prior_price bigint;
-- Nothing is known of earlier prices, so reductions that are announced now are shown again after the next price change.
insert into price_history (merchant_id, sku_id, from_at, price, compare_at_price)
select s.merchant_id, s.id, s.updated_at, s.price, s.compare_at_price
from products p cross join skus s
where p.published_at is not null and s.merchant_id = p.merchant_id and s.product_id = p.id and s.retired_at is null;
-- A loop renders all products with their new member.
update listed_products set stale_at = 0 where coalesce(stale_at, 1) <> 0;
