-- What search engines show of a product, where that is not its name and its summary.
alter table products add column seo_title text;
alter table products add column seo_description text;
