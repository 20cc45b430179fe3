// The script of every page of the dashboard, which also works without script. The handler for forms that are sent in pieces is added
// before other handlers of forms, which ignore events whose default was prevented.

import { chooseRows } from './choosing.ts'
import { addCopying, addPrinting } from './copying.ts'
import { openDialogs } from './dialogs.ts'
import { addShortcuts } from './keys.ts'
import { sendFilesInPieces } from './pieces.ts'
import { refreshParts } from './refreshing.ts'
import { reachScrolling } from './scrolling.ts'
import { guardTyped, sendOnce } from './sending.ts'
import { followTyped } from './shown.ts'
import { suggestAnswers } from './suggesting.ts'
import { forgetToast } from './toasts.ts'

document.documentElement.classList.add('scripted')
forgetToast()
openDialogs()
sendFilesInPieces()
sendOnce()
guardTyped()
chooseRows()
addPrinting()
addCopying()
refreshParts()
addShortcuts()
suggestAnswers()
followTyped()
reachScrolling()
