// The metadata of a PDF/A (XMP, ISO 16684-1). Its values equal those of the information dictionary. Pure.

import { escapeXml } from '../kit/xml.ts'

export interface PdfMetadata {
  title: string
  author: string
  madeAt: string
  extension: string
}

export function metadataOf({ title, author, madeAt, extension }: PdfMetadata): string {
  const at = `${madeAt.slice(0, 19)}Z`
  return `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/">
<pdfaid:part>3</pdfaid:part>
<pdfaid:conformance>B</pdfaid:conformance>
</rdf:Description>
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escapeXml(title)}</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>${escapeXml(author)}</rdf:li></rdf:Seq></dc:creator>
</rdf:Description>
<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">
<pdf:Producer>Cartwright</pdf:Producer>
<xmp:CreateDate>${at}</xmp:CreateDate>
<xmp:ModifyDate>${at}</xmp:ModifyDate>
</rdf:Description>
${extension}</rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>`
}
