// HTML that tries to run a script, or to break out of the element that it stands in. Each calls `alert`, or would load or submit
// something, if it were put into a page as it is.

const tag = 'script'
const deep = 2_000

// biome-ignore format: a list reads best with one row a line
export const hostileHtml: readonly string[] = [
  // Plain
  `<${tag}>alert(1)</${tag}>`,
  `<${tag.toUpperCase()} SRC=//evil.example/x.js></${tag.toUpperCase()}>`,
  `<scr<${tag}>ipt>alert(1)</scr</${tag}>ipt>`,
  `<${tag}\u0000>alert(1)</${tag}>`,
  `<${tag}/x>alert(1)</${tag}>`,
  `<${tag} >alert(1)</${tag}\t\n x>`,
  `<${tag}>alert(1)`,
  `<<${tag}>alert(1)//<</${tag}>`,
  `</${tag}><${tag}>alert(1)</${tag}>`,
  '<img src=x onerror=alert(1)>',
  '<img src=x onerror="alert(1)"//',
  '<img/src=`x`onerror=alert(1)>',
  '<IMG """><SCRIPT>alert(1)</SCRIPT>">',
  '<body onload=alert(1)>', '<body/onload=alert(1)>x</body>',
  '<p onclick=alert(1) onmouseover="alert(1)" style="background:url(javascript:alert(1))">x</p>',
  '<b/onpointerover=alert(1) autofocus onfocus=alert(1) tabindex=1>x</b>',
  '<input autofocus onfocus=alert(1)>', '<details open ontoggle=alert(1)>x</details>', '<marquee onstart=alert(1)>x</marquee>',
  '<video><source onerror=alert(1)></video>', '<audio src=x onerror=alert(1)>', '<object data="javascript:alert(1)"></object>',
  '<embed src="data:text/html,<script>alert(1)</script>">', '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>parent.alert(1)</script>">', '<frameset onload=alert(1)>', '<base href="//evil.example/">',
  '<meta http-equiv=refresh content="0;url=javascript:alert(1)">', '<link rel=stylesheet href=//evil.example/x.css>',
  '<style>@import "//evil.example/x.css"; * { display: none }</style>', '<style>', '<form action=//evil.example><button>x</button></form>',
  '<isindex action="javascript:alert(1)">', '<portal src=//evil.example>', '<xss id=x tabindex=1 onfocus=alert(1)>x</xss>',
  // Addresses
  '<a href="javascript:alert(1)">x</a>', '<a href=javascript:alert(1)>x</a>', "<a href='JaVaScRiPt:alert(1)'>x</a>",
  '<a href="java\tscript:alert(1)">x</a>', '<a href="java\nscript:alert(1)">x</a>', '<a href="java\u0000script:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>', '<a href="&#x6A&#x61&#x76ascript&colon;alert(1)">x</a>',
  '<a href="jav&#x09;ascript:alert(1)">x</a>', '<a href="jav&Tab;ascript:alert(1)">x</a>', '<a href="java&NewLine;script:alert(1)">x</a>',
  '<a href=" &#14; javascript:alert(1)">x</a>', '<a href="\u0001javascript:alert(1)">x</a>', '<a href="\u00a0javascript:alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>', '<a href="vbscript:msgbox(1)">x</a>', '<a href="blob:https://x/1">x</a>',
  '<a href="https://ok.example/" href="javascript:alert(1)" onclick=alert(1)>x</a>', '<a href="javascript:alert(1)" href="https://ok.example/">x</a>',
  '<a href=\'https://ok.example/"onmouseover="alert(1)\'>x</a>', '<a href="https://ok.example/&quot;onmouseover=&quot;alert(1)">x</a>',
  '<a href="https://ok.example/`onmouseover=alert(1)`">x</a>', '<a xlink:href="javascript:alert(1)">x</a>', '<a href="//evil.example">x</a>',
  '<a href="https:javascript:alert(1)">x</a>', '<a href="mailto:a@b.example?body=<script>alert(1)</script>">x</a>', '<a target=_blank href="https://[">x</a>',
  '<td background="javascript:alert(1)">x', '<table><td colspan="2 onclick=alert(1)" rowspan=&quot;3>x',
  // Other languages within HTML, and what is read differently the second time
  '<svg onload=alert(1)>', '<svg><script>alert(1)</script></svg>', '<svg/onload=alert(1)//', '<svg><a xlink:href="javascript:alert(1)"><text y=20>x</text></a></svg>',
  '<svg><animate onbegin=alert(1) attributeName=x dur=1s>', '<svg><set attributeName=href to=javascript:alert(1)>', '<svg><foreignObject><img src=x onerror=alert(1)></foreignObject></svg>',
  '<math><mi xlink:href="javascript:alert(1)">x</mi></math>', '<math href="javascript:alert(1)">x</math>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">', '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<svg><style><img src=x onerror=alert(1)></style></svg>', '<svg><desc><noscript>&lt;/noscript>&lt;/desc>&lt;s&gt;&lt;/s&gt;&lt;style&gt;&lt;a title=\'&lt;/style>&lt;img src onerror=alert(1)>\'>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">', '<template><img src=x onerror=alert(1)></template>', '<template><script>alert(1)</script>',
  '<textarea><img title="</textarea><img src=x onerror=alert(1)>"></textarea>', '<title><img title="</title><img src=x onerror=alert(1)>"></title>',
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>">', '<noembed><img title="</noembed><img src onerror=alert(1)>">', '<plaintext><img src=x onerror=alert(1)>',
  '<select><style></select><img src=x onerror=alert(1)></style>', '<select><option><script>alert(1)</script>', '<listing>&lt;img src=x onerror=alert(1)&gt;</listing>',
  '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>', '&amp;lt;script&amp;gt;alert(1)&amp;lt;/script&amp;gt;', '&lt;img src=x onerror=alert(1)&gt;', '&#60;img src=x onerror=alert(1)&#62;',
  // Comments, declarations, instructions
  '<!--><img src=x onerror=alert(1)>-->', '<!--><script>alert(1)</script>', '<!--->x<img src=x onerror=alert(1)>', '<!-- --!><img src=x onerror=alert(1)> -->',
  '<!-- <!-- --><img src=x onerror=alert(1)>', '<![CDATA[<script>alert(1)</script>]]>', '<svg><![CDATA[</svg><img src=x onerror=alert(1)>]]></svg>',
  '<?xml version="1.0"?><script>alert(1)</script>', '<?php echo "<script>alert(1)</script>" ?>', '<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]>&y;', '</ <img src=x onerror=alert(1)>',
  '<!--[if gte IE 4]><script>alert(1)</script><![endif]-->', '<%= "<script>alert(1)</script>" %>', '{{constructor.constructor("alert(1)")()}}',
  // Out of its element
  '</div></div></main></body></html><h1>Elsewhere</h1>', '</p></article><footer>x', '<table><tr><td></table></div><p>x', '</textarea><script>alert(1)</script>', '</style><script>alert(1)</script>',
  '"><script>alert(1)</script>', "'><img src=x onerror=alert(1)>", '--><script>alert(1)</script>', ']]><script>alert(1)</script>', '`><img src=x onerror=alert(1)>',
  '<b><i></b><p></i><a href=https://ok.example/><b></p><a><table><b><tr><i><td></a>x</b>', '<table><b><tr></b><a href="https://ok.example/">x</table>y</a>', '<li><table><li></table><ul></li><p></ul>x',
  '<h2><h2><p><h3>x</p></h2>y', '<ul>x<li>y</ul>z</li>', '<pre>\n\n<b>\n x</pre> y', `${'<p>'.repeat(3)}x${'</p>'.repeat(9)}`, '<table><caption>x<tr><th>y<tfoot><td>z',
  // Much
  ...['<blockquote>', '<ul><li>', '<table><tr><td>', '<b><i><u>', '</div>'].map((part) => `${part.repeat(deep)}x`),
  // Broken text
  '\ud800<p>\udfff</p>', '<p>\ufffe\uffff\u2028\u2029\u202e</p>', '\u0000<\u0000p>\u0007\u001b[31m</p>', '&#xd800;&#0;&#128;&#x110000;&#13;&#10;', '\ufeff<p>x', '<p\u3000onclick=alert(1)>x', '＜script＞alert(1)＜/script＞',
]
