-- The checkout session in which the shopper started again after this one had ended. There is one at most, so an old link
-- leads to it however often it is used.
alter table checkout_sessions add column continued_by text;
