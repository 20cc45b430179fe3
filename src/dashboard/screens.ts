// Every screen of the dashboard, one line each. A place of the menu is drawn once its screen is here.

import type { Screen } from './screen.ts'
import { categories, newCategory, oneCategory } from './screens/categories.ts'
import { home } from './screens/home.ts'
import { category, prices } from './screens/prices.ts'
import { changeProducts, products } from './screens/products.ts'
import { movements, stock } from './screens/stock.ts'
import { undo } from './screens/undo.ts'

export const screens: readonly Screen[] = [
  home,
  undo,
  products,
  changeProducts,
  prices,
  category,
  stock,
  movements,
  categories,
  newCategory,
  oneCategory,
]
