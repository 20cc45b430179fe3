-- What is deleted by age, of all merchants.
create index customer_codes_by_creation on customer_codes (created_at);
create index customer_sessions_by_expiry on customer_sessions (expires_at);
-- The checkouts of a shopper who asks to be erased. Without it all of a shop were read for each.
create index checkout_sessions_of_customer on checkout_sessions (installation_id, email_hash, id) where email_hash is not null;
