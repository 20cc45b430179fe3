-- The brands of a merchant, each with its products, read from the index alone.
create index products_branded on products (merchant_id, brand, archived_at) where brand is not null;
