-- SKUs whose stock is not counted, and their barcodes. `when_sold_out` of one that is not counted is 'backorder', which is how a
-- node of the version before sells it.
alter table skus add column counted bigint not null default 1;
alter table skus add column barcode text;
