/** Copies the code to a folder and applies a recipe of CONTRIBUTING.md: `npm run recipe -- resource DIR`, `-- field DIR`. */
import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { columnField, documentField } from '../testing/recipes/field.ts'
import { bunIn, copyInto } from '../testing/recipes/recipe.ts'
import { resource } from '../testing/recipes/resource.ts'
import { sourceKind } from '../testing/recipes/source-kind.ts'

const RECIPES = { field: columnField, 'document-field': documentField, resource, 'source-kind': sourceKind }

const [name = '', folder = ''] = process.argv.slice(2)
const recipe = Object.hasOwn(RECIPES, name) ? RECIPES[name as keyof typeof RECIPES] : undefined
if (!recipe || folder === '') {
  console.error(`usage: npm run recipe -- ${Object.keys(RECIPES).join('|')} DIR`)
  process.exit(2)
}
const root = resolve(folder)
if (existsSync(root) && readdirSync(root).length > 0) {
  console.error(`${root} is not empty`)
  process.exit(2)
}
copyInto(root, recipe)
await bunIn(root, 'scripts/golden.ts')
console.log(`${root} has the recipe and its golden files`)
