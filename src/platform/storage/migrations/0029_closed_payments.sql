-- When the operator said what became of a payment, because its provider did not; null where the provider told.
alter table payments add column closed_by_hand_at bigint;
