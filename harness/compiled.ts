// Loads what most test processes load, so Node writes it into the compile cache when this process ends. Run by the global setup.

import '../src/app.ts'
import '../src/ops/handlers.ts'
import '../src/web/consent/provider.ts'
import '../src/web/dashboard/screens.ts'
import '../src/web/signin/person.ts'
import './browser.ts'
import './commandline.ts'
import './pageShop.ts'
import './testServer.ts'
