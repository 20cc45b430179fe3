-- Orders that agents made: few, and listed and counted by themselves.
create index orders_of_agents on orders (merchant_id, mode, placed_at desc, id desc) where agent_platform_id is not null;
