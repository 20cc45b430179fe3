// Column names of WooCommerce's product file, which writes them in the language of the user who exported it; values are in English. `%`
// stands for a number or a unit, and `|` separates the words of several WooCommerce versions. Unknown names are empty.

export const wooColumns = [
  'id',
  'type',
  'sku',
  'gtin, upc, ean, or isbn',
  'name',
  'published',
  'visibility in catalog',
  'short description',
  'description',
  'in stock?',
  'stock',
  'backorders allowed?',
  'weight (%)',
  'sale price',
  'regular price',
  'categories',
  'tags',
  'images',
  'parent',
  'brands',
  'attribute % name',
  'attribute % value(s)',
  'attribute % visible',
] as const

// Columns of a complete export, in their order. Those in brackets were added by later WooCommerce versions.
// biome-ignore format: a list of words
export const exportedColumns: readonly string[] = [
  'id', 'type', 'sku', '[gtin, upc, ean, or isbn]', 'name', 'published', 'is featured?', 'visibility in catalog', 'short description',
  'description', 'date sale price starts', 'date sale price ends', 'tax status', 'tax class', 'in stock?', 'stock', '[low stock amount]',
  'backorders allowed?', 'sold individually?', 'weight', 'length', 'width', 'height', 'allow customer reviews?', 'purchase note',
  'sale price', 'regular price', 'categories', 'tags', 'shipping class', 'images', 'download limit', 'download expiry days', 'parent',
  'grouped products', 'upsells', 'cross-sells', 'external url', 'button text', 'position',
]
// Names in the order of `wooColumns`, in lower case, since headers are compared in lower case.
// biome-ignore format: a table reads best by its rows
export const wooWords: Readonly<Record<string, readonly string[]>> = {
  ar: [
    'المعرف', 'النوع', 'رمز المنتج (sku)', 'gtin، أو upc، أو ean، أو isbn', 'الاسم', 'تم النشر', 'إمكانية العرض في الكاتلوج', 'وصف قصير',
    'الوصف', 'متوفر؟', 'المخزون', 'الطلبات المسبقة مسموحة؟', 'الوزن (%)', 'سعر التخفيض', 'السعر الافتراضي', 'التصنيفات', 'الوسوم', 'الصور',
    'الأب', 'العلامات التجارية', 'اسم السمة %', 'قيمة/قيم السمة %', 'عرض السمة %',
  ],
  cs: [
    'id', 'typ', 'katalogové číslo', '', 'jméno', 'publikovaný', 'viditelnost v katalogu', 'krátký popis', 'popis', 'skladem?', 'sklad',
    'povoleno objednávání?', 'hmotnost (%)', 'cena po slevě', 'běžná cena', 'kategorie', 'štítky', 'obrázky', 'nadřazené', '',
    'název % vlastnosti', 'hodnota(y) % vlastnosti', 'vlastnost % viditelnost',
  ],
  da: [
    'id', 'type', 'varenummer', '', 'navn', 'udgivet', 'synlighed i katalog (shoppens frontend)', 'kort beskrivelse', 'beskrivelse',
    'på lager?', 'lager', 'restordrer tilladt?', 'vægt (%)', 'tilbudspris', 'normalpris', 'kategorier', 'tags', 'billeder', 'forældre', '',
    'egenskab % navn', 'egenskab % værdi(er)', 'egenskab % er synlig',
  ],
  de: [
    'id', 'typ', 'artikelnummer', 'gtin, upc, ean oder isbn', 'name', 'veröffentlicht', 'sichtbarkeit im katalog', 'kurzbeschreibung',
    'beschreibung', 'vorrätig?', 'bestand|lager', 'lieferrückstände erlaubt?|lieferrückstande erlaubt?', 'gewicht (%)', 'angebotspreis',
    'regulärer preis', 'kategorien', 'schlagwörter', 'bilder', 'übergeordnetes produkt', 'marken', 'attribut % name', 'attribut % wert(e)',
    'attribut % sichtbar',
  ],
  el: [
    'id', 'τύπος', 'κωδικός προϊόντος', '', 'όνομα', 'δημοσιευμένο', 'ορατότητα στον κατάλογο', 'σύντομη περιγραφή', 'περιγραφή',
    'σε απόθεμα;', 'απόθεμα', 'να επιτρέπονται λίστες αναμονής;', 'βάρος (%)', 'τιμή προσφοράς', 'κανονική τιμή', 'κατηγορίες', 'ετικέτες',
    'εικόνες', 'γονέας', '', 'όνομα ιδιότητας %', 'τιμή(ές) ιδιότητας %', 'ιδιότητα % ορατή',
  ],
  es: [
    'id', 'tipo', 'sku', '', 'nombre', 'publicado', 'visibilidad en el catálogo', 'descripción corta', 'descripción',
    '¿existencias?|¿en inventario?', 'inventario', '¿permitir reservas de productos agotados?', 'peso (%)', 'precio rebajado',
    'precio normal', 'categorías', 'etiquetas', 'imágenes', 'superior', '', 'nombre del atributo %', 'valor(es) del atributo %',
    'atributo visible %',
  ],
  fa: [
    'شناسه', 'نوع', 'شناسه محصول', '', 'نام', 'منتشر شده', 'قابل مشاهده در کاتالوگ', 'توضیح کوتاه', 'توضیحات', 'در انبار؟', 'انبار',
    'پیش‌فروش مجاز است؟', 'وزن (%)', 'قیمت فروش ویژه', 'قیمت عادی', 'دسته‌ها', 'برچسب‌ها', 'تصاویر', 'مادر', '', 'نام % صفت',
    'مقدار(های) % صفت', 'نمایان بودن % صفت',
  ],
  fi: [
    'id', 'laji', 'tuotetunnus (sku)', '', 'nimi', 'julkaistu', 'näkyvyys tuoteluettelossa', 'lyhyt kuvaus', 'kuvaus', 'varasto?',
    'varasto', 'salli jälkitoimitukset?', 'paino (%)', 'alennettu hinta', 'normaali hinta', 'osastot', 'avainsanat', 'kuvat',
    'ylempi taso', '', 'ominaisuus % nimi', 'ominaisuus % arvo(t)', 'ominaisuus % näkyy',
  ],
  fr: [
    'id', 'type', 'ugs', 'gtin, upc, ean ou isbn', 'nom', 'publié', 'visibilité dans le catalogue', 'description courte', 'description',
    'en stock ?', 'stock', 'autoriser les commandes de produits en rupture ?', 'poids (%)', 'tarif promo', 'tarif régulier', 'catégories',
    'étiquettes', 'images', 'parent', 'marques', "nom de l'attribut %", "valeur(s) de l'attribut %", 'attribut % visible',
  ],
  he: [
    'מזהה', 'סוג', 'מק"ט', '', 'שם', 'פורסם', 'נראות בקטלוג', 'תיאור קצר', 'תיאור', 'במלאי?', 'מלאי', 'לאפשר הזמנות מראש?', 'משקל (%)',
    'מחיר מבצע', 'מחיר רגיל', 'קטגוריות', 'תגיות', 'תמונות', 'אב', '', 'שיוך % שמות', 'שיוך % ערכים', 'שיוך % פריטים מוצגים',
  ],
  hr: [
    'id', 'vrsta', 'sku', 'gtin, upc, ean ili isbn', 'naziv', 'objavljeno', 'vidljivost u katalogu', 'kratak opis', 'opis', 'na zalihi?',
    'zalihe', 'narudžbe na upit dozvoljene?', 'težina (%)', 'rasprodajna cijena', 'normalna cijena', 'kategorije', 'oznake', 'slike',
    'glavni', 'robne marke|brendovi', 'atribut % ime', 'atribut % vrijednosti', 'atribut % vidljiv',
  ],
  hu: [
    'azonosító', 'típus', 'cikkszám', '', 'név', 'közzétéve', 'látható a katalógusban', 'rövid leírás', 'leírás', 'raktáron?', 'készlet',
    'függő rendelés engedélyezése?', 'tömeg (%)', 'akciós ár', 'normál ár', 'kategória', 'címkék', 'képek', 'szülő', 'márkák',
    'tulajdonság neve %', 'tulajdonság (%) értéke(i)', 'tulajdonság % láthatósága',
  ],
  id: [
    'id', 'tipe', 'sku', '', 'nama', 'telah terbit', 'kenampakan pada katalog', 'deskripsi singkat', 'deskripsi', 'stok tersedia?', 'stok',
    'perbolehkan inden?', 'berat (%)', 'harga obral', 'harga normal', 'kategori', 'tag', 'gambar-gambar', 'induk', '', 'nama atribut %',
    'nilai atribut %', 'terlihat atribut %',
  ],
  it: [
    'id', 'tipo', 'sku|cod', 'gtin, upc, ean, o isbn', 'nome', 'pubblicato', 'visibilità nel catalogo', 'breve descrizione', 'descrizione',
    'in stock?', 'magazzino', 'abilita gli ordini arretrati?', 'peso (%)', 'prezzo in offerta', 'prezzo di listino', 'categorie', 'tag',
    'immagine', 'genitore', 'marchi', "nome dell'attributo %|attributo % nome", "valore dell'attributo %|attributo % valuta(e)",
    'attributo % visibile',
  ],
  ja: [
    'id', 'タイプ', 'sku', 'gtin、upc、ean、isbn', '名前', '公開済み', 'カタログでの表示', '簡単な説明', '説明', '在庫の有無', '在庫', 'お取り寄せを許可する ?', '重量 (%)', 'セール価格',
    '標準価格', 'カテゴリー', 'タグ', '画像', '親', 'ブランド', '属性 % の名前', '属性 % の値', '属性 % を表示',
  ],
  ko: [
    'id', '형식', 'sku', '', '이름', '발행됨', '카탈로그에 표시 여부', '간단한 설명', '설명', '재고가 있나요?', '재고', '품절 후 주문이 허용됐습니까?', '무게(%)', '할인 가격', '정상 가격',
    '카테고리', '태그', '이미지', '상위', '', '속성 % 이름', '속성 % 값', '속성 % 표시',
  ],
  nb: [
    'id', 'type', 'varenummer', '', 'navn', 'publisert', 'synlighet i katalogen', 'kort beskrivelse', 'beskrivelse', 'på lager?', 'lager',
    'restordre tillatt?', 'vekt (%)', 'utsalgspris', 'ordinær pris', 'kategorier', 'stikkord', 'bilder', 'forelder', '',
    'attributt % navn', 'attributt % verdi(er)', 'attributt % synlig',
  ],
  nl: [
    'id', 'type', 'sku|artikelnummer', 'gtin, upc, ean of isbn', 'naam', 'gepubliceerd', 'zichtbaarheid in catalogus',
    'korte beschrijving|korte omschrijving', 'beschrijving', 'op voorraad?', 'voorraad', 'nabestellingen toestaan?', 'gewicht (%)',
    'actieprijs', 'reguliere prijs', 'categorieën', 'tags', 'afbeeldingen', 'hoofd', 'merken', 'attribuut % naam|naam eigenschap %',
    'attribuut % waarde(n)|waarde eigenschap %', 'attribuut % zichtbaar|zichtbare eigenschap %',
  ],
  pl: [
    'id', 'typ', 'sku', '', 'nazwa', 'opublikowano|opublikowany', 'widoczność w katalogu', 'krótki opis', 'opis', 'w magazynie?',
    'stan magazynowy|magazyn', 'pozwalać na zamówienia oczekujące (na dostawę do magazynu)?', 'waga (%)', 'cena promocyjna', 'cena',
    'kategorie', 'tagi', 'obrazki', 'element nadrzędny|rodzic', '', 'nazwa atrybutu %', 'wartości atrybutu %', 'atrybut % widoczny',
  ],
  pt_BR: [
    'id', 'tipo', 'sku', '', 'nome', 'publicado', 'visibilidade no catálogo', 'descrição curta', 'descrição', 'em estoque?', 'estoque',
    'são permitidas encomendas?', 'peso (%)', 'preço promocional', 'preço', 'categorias', 'tags', 'imagens',
    'ascendente|produto ascendente', '', 'nome do atributo %', 'valores do atributo %', 'visibilidade do atributo %',
  ],
  pt_PT: [
    'id', 'tipo', 'ref', '', 'nome', 'publicado', 'visibilidade no catálogo', 'descrição breve', 'descrição', 'em stock?', 'stock',
    'permitir encomendas pendentes?', 'peso (%)', 'preço promocional', 'preço normal', 'categorias', 'etiquetas', 'imagens', 'pai', '',
    'atributo % nome', 'atributo % valor(es)', 'atributo % visível',
  ],
  ro: [
    'id', 'tip', 'sku', 'gtin, upc, ean sau isbn', 'nume', 'publicat', 'vizibilitate în catalog', 'descriere scurtă', 'descriere',
    'în stoc?', 'stoc', 'precomenzile sunt permise?', 'greutate (%)', 'preț promoțional', 'preț obișnuit', 'categorii', 'etichete',
    'imagini', 'părinte', 'branduri', 'nume atribut %', 'valoare (valori) atribut %', 'vizibilitate atribut %',
  ],
  ru: [
    'id', 'тип', 'артикул', '', 'имя', 'опубликован', 'видимость в каталоге', 'краткое описание', 'описание', 'в наличии?', 'запасы',
    'возможен ли предзаказ?', 'вес (%)', 'акционная цена|цена распродажи', 'базовая цена', 'категории', 'метки', 'изображения',
    'родительский', '', 'название атрибута %|имя атрибута %', 'значения атрибутов %|значение(-я) аттрибута(-ов) %', 'видимость атрибута %',
  ],
  sl: [
    'id', 'vrsta', 'šifra', 'gtin, upc, ean ali isbn', 'naziv', 'objavljeno', 'vidnost v katalogu', 'kratek opis', 'opis', 'na zalogi?',
    'zaloga', 'dovoljena naročila brez zaloge?', 'teža (%)', 'akcijska cena', 'redna cena', 'kategorije', 'oznake', 'slike', 'nadrejeni',
    'blagovne znamke', 'naziv atributa %', 'vrednost(i) atributa %', 'viden atribut %',
  ],
  sv: [
    'id', 'typ', 'artikelnummer|artikelnr', '', 'namn', 'publicerad', 'synlighet i katalog', 'kort beskrivning', 'beskrivning', 'i lager?',
    'lager|lagersaldo', 'tillåt restnoteringar?', 'vikt (%)', 'reapris', 'ordinarie pris', 'kategorier', 'etiketter|taggar', 'bilder',
    'överordnad|förälder', '', 'attribut % namn', 'attribut % värde(n)', 'attribut % synligt',
  ],
  th: [
    'id', 'ชนิด', 'รหัสสินค้า', '', 'ชื่อ', 'เผยแพร่แล้ว', 'การมองเห็นในแค็ตตาล็อก', 'คำอธิบายแบบย่อ', 'รายละเอียดเพิ่มเติม|คำอธิบาย',
    'มีสินค้าในคลังสินค้า?', 'คลังสินค้า', 'อนุญาตให้จองสินค้าหรือไม่', 'น้ำหนัก (%)', 'ราคาที่ลด', 'ราคาปกติ', 'หมวดหมู่', 'ป้ายกำกับ',
    'ไฟล์รูปภาพ', 'หลัก', '', 'ชื่อคุณสมบัติ %', 'ค่าคุณสมบัติ %', 'คุณสมบัติภายนอกที่เห็นได้ %',
  ],
  tr: [
    'kimlik', 'tür', 'stok kodu (sku)', '', 'i̇sim', 'yayımlanmış', 'katalogda görünürlük', 'kısa açıklama', 'açıklama', 'stokta?', 'stok',
    'yok satmaya izin?', 'ağırlık (%)', 'i̇ndirimli satış fiyatı', 'normal fiyat', 'kategoriler', 'etiketler', 'görseller', 'ebeveyn', '',
    'nitelik % ismi', 'nitelik % değer(ler)i', 'nitelik % görünür',
  ],
  uk: [
    'id', 'тип', 'артикул', '', "назва|ім'я", 'опубліковано', 'видимість в каталозі', 'короткий опис', 'опис', 'в наявності?',
    'запаси|запас', 'дозволити резервування?', 'вага (%)', 'ціна зі знижкою', 'звичайна ціна', 'категорії', 'позначки', 'зображення',
    'предок', '', 'назва % атрибуту', '% значення атрибуту', 'атрибут % видимий',
  ],
  vi: [
    'id', 'loại', 'mã sản phẩm', '', 'tên', 'đã đăng', 'hiển thị trong danh mục', 'mô tả ngắn', 'mô tả', 'còn hàng?', 'kho',
    'cho phép đặt trước?', 'cân nặng (%)', 'giá khuyến mãi', 'giá bán thường', 'danh mục', 'từ khóa', 'hình ảnh', 'gốc', '',
    'tên thuộc tính %', 'giá trị thuộc tính %', 'thuộc tính hiển thị %',
  ],
  zh_CN: [
    'id', '类型', 'sku', 'gtin、upc、ean 或 isbn', '名称', '已发布', '在列表页可见', '简短描述', '描述', '有货？', '库存', '允许缺货下单？', '重量(%)', '促销价格', '常规售价', '分类',
    '标签', '图片', '父级', '品牌', '属性 % 名称', '属性 % 值', '属性 % 可见',
  ],
  zh_TW: [
    '代碼', '類型', '貨號', '', '名稱', '已發佈', '目錄的可見度', '簡短內容說明', '描述', '有庫存？', '庫存', '允許無庫存下單嗎？', '重量 (%)', '特價|折扣價', '原價', '分類', '標籤', '圖片',
    '上層', '品牌', '屬性 % 名稱', '屬性 % 值', '屬性 % 可見',
  ],
}

// Other names of weight units, as WooCommerce writes them in some languages.
// biome-ignore format: a table reads best by its rows
export const wooUnits: ReadonlyMap<string, string> = new Map([
  ['lbs', 'lb'], ['lb', 'lb'], ['kg (kilogramma)', 'kg'], ['g (gramma)', 'g'], ['кг', 'kg'], ['г', 'g'], ['公斤', 'kg'], ['克', 'g'],
  ['公克', 'g'], ['كيلوجرام', 'kg'], ['جرام', 'g'], ['کیلوگرم', 'kg'], ['گرم', 'g'], ['ק"ג', 'kg'], ['גרם', 'g'], ['กก.', 'kg'],
  ['กรัม', 'g'], ['gram', 'g'], ['livres', 'lb'], ['livre', 'lb'], ['font', 'lb'], ['funty', 'lb'], ['磅', 'lb'], ['unce', 'oz'],
  ['uncje', 'oz'], ['盎司', 'oz'],
])
