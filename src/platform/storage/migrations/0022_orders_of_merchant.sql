-- A merchant's orders of one mode, newest first, whichever app sold them.
create index orders_of_merchant on orders (merchant_id, mode, placed_at desc, id desc);
