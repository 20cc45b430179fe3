-- How shipping is taxed where the rates name no class for it: goods, standard, or null for what the country's law says.
alter table merchants add column shipping_tax text;
-- The parts of the shipping by rate, where it has more than one: JSON with rateBps, amount and tax. shipping_tax_rate_bps is null then.
alter table orders add column shipping_taxes text;
