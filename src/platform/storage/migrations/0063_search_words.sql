-- Groups of words that mean the same in a search, as JSON.
alter table merchants add column synonyms text not null default '[]';
-- Products are found by more words than before: the walk through all products indexes each again.
update product_index set version = 0;
