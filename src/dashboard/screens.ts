// Every screen of the dashboard, one line each. A place of the menu is drawn once its screen is here.

import type { Screen } from './screen.ts'
import { home } from './screens/home.ts'
import { undo } from './screens/undo.ts'

export const screens: readonly Screen[] = [home, undo]
