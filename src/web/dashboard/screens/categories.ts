// Categories: the tree, and the form for one category.

import type { AdminCategory } from '../../../contract/admin/catalog.ts'
import { limits } from '../../../contract/limits.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { slugify } from '../../../platform/kit/slug.ts'
import { type CategoryNode, indentedCategoryName, listShopCategories, sectionTabs, smallImage } from '../catalog.ts'
import { dialog } from '../dialog.ts'
import {
  buildBody,
  type Field,
  type FieldValues,
  type Problems,
  problemsFromRefusal,
  readKey,
  readTypedValues,
  renderForm,
} from '../form.ts'
import { linkButton, renderNotice } from '../parts.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { pictureField, uploadFormPicture } from '../storedraft.ts'
import { renderTable } from '../table.ts'
import { redirectWithRefusal, redirectWithToast } from '../toast.ts'

export const categoriesScreen: Screen = {
  path: 'categories',
  name: 'dashboard categories',
  place: 'products',
  needs: 'listAdminCategories',
  async get(visit) {
    const { words, to, may } = visit
    const all = await listShopCategories(visit)
    const add =
      may('createAdminCategory') &&
      linkButton({
        label: words.say('categories.new'),
        href: to('categories/new'),
        kind: 'first',
        isDialog: true,
      })
    return {
      title: words.say('categories.title'),
      actions: html`${add}`,
      body: html`${sectionTabs(visit, 'categories')}
${renderTable(visit, {
  label: words.say('categories.title'),
  columns: [
    { head: words.say('categories.name'), cell: (row) => treeName(row), isMain: true },
    { head: words.say('categories.slug'), cell: ({ category }) => html`<code>${category.slug}</code>`, isMinor: true },
    {
      head: words.say('categories.products'),
      cell: ({ productCount, id }) =>
        html`<a
    href="${to('products', { categoryId: id })}"
    aria-label="${words.say('categories.productsOf', { count: productCount })}">
    ${words.number(productCount)}
  </a>`,
      align: 'end',
    },
    ...(may('createAdminCategory')
      ? [
          {
            head: words.say('categories.more'),
            align: 'end' as const,
            cell: ({ category, depth }: CategoryNode) =>
              depth + 1 < depthMax &&
              html`<a
    href="${to('categories/new', { parent: category.slug })}"
    data-dialog
    aria-label="${words.say('categories.addBelowOf', { name: category.name })}">
    ${words.say('categories.addBelow')}
  </a>`,
          },
        ]
      : []),
  ],
  rows: all,
  idOf: ({ id }) => id,
  ...(may('replaceAdminCategory') && { hrefOf: ({ id }: CategoryNode) => to(`categories/${id}`) }),
  empty: { title: words.say('categories.empty'), text: words.say('categories.emptyText'), action: add },
})}`,
    }
  },
}

const depthMax = 8

function treeName({ category, depth }: CategoryNode): Html {
  return html`<span class="branch depth-${depth}" dir="auto">${category.name}</span>`
}

// Without a typed slug, the operation derives the slug from the name.
function fieldsOf({ words }: ScreenVisit, all: readonly CategoryNode[], own?: AdminCategory): Field[] {
  // A category cannot be moved below itself.
  const isOwn = ({ path }: CategoryNode) => own !== undefined && path.includes(own.category.slug)
  const parents = all
    .filter((one) => !isOwn(one))
    .map((one) => ({ value: one.category.slug, label: indentedCategoryName(one) }))
  return [
    {
      name: 'name',
      label: words.say('categories.name'),
      kind: 'line',
      isRequired: true,
      isFirst: true,
      lengthMax: 200,
    },
    {
      name: 'parent',
      label: words.say('categories.parent'),
      kind: 'choice',
      isRequired: true,
      isNullable: true,
      options: [{ value: '', label: words.say('categories.top') }, ...parents],
      isHalf: true,
    },
    {
      name: 'position',
      label: words.say('categories.position'),
      kind: 'whole',
      min: 0,
      max: 1_000_000,
      isHalf: true,
      help: words.say('categories.positionHelp'),
    },
    ...(own
      ? []
      : [
          {
            name: 'slug',
            label: words.say('categories.slug'),
            kind: 'line',
            lengthMax: 120,
            help: words.say('categories.slugHelp'),
          } as const,
        ]),
    { name: 'description', label: words.say('categories.description'), kind: 'text', rows: 3, lengthMax: 5_000 },
    // The picture is uploaded with the form, and a hidden field contains its URL.
    { name: 'image', label: words.say('categories.image'), kind: 'line', isNullable: true },
  ]
}

const filesBytesMax = limits.pictureBytesMax + 100_000

const isTyped = ({ name }: Field) => name !== 'image'

function categoryPicture(visit: ScreenVisit, { image = '' }: FieldValues): Html {
  const { words } = visit
  const [label, removes] = [words.say('categories.image'), words.say('categories.noImage')]
  return html`<div class="fields after">${pictureField(visit, { label, present: image === '' ? null : smallImage(image), removes })}</div>`
}

// Returns the uploaded picture, otherwise the form's picture, or null if the picture is removed.
async function pictureOf(posted: PostedScreen): Promise<{ url: string | null; problems?: Problems }> {
  const { form: sent } = posted
  const before = (sent.get('image') ?? '').slice(0, 2_000) || null
  if (sent.get('noPicture') === 'on') return { url: null }
  const uploaded = await uploadFormPicture(posted)
  return 'problems' in uploaded ? { url: before, problems: uploaded.problems } : { url: uploaded.url ?? before }
}

const back = ({ words, to }: ScreenVisit) => ({ href: to('categories'), label: words.say('categories.title') })

export const newCategoryScreen: Screen = {
  path: 'categories/new',
  name: 'dashboard new category',
  place: 'products',
  needs: 'createAdminCategory',
  filesBytesMax,
  async get(visit) {
    const fields = fieldsOf(visit, await listShopCategories(visit))
    return newSheet(visit, fields, { parent: visit.query.get('parent') ?? '' })
  },
  async post(posted) {
    const { words, form: sent, to } = posted
    const fields = fieldsOf(posted, await listShopCategories(posted))
    const read = buildBody(words, fields, sent)
    const picture = await pictureOf(posted)
    const values = { ...readTypedValues(fields, sent), image: picture.url ?? '' }
    const { problems = 'problems' in read ? read.problems : undefined } = picture
    if (problems || 'problems' in read) return newSheet(posted, fields, values, problems)
    const category = { slug: slugify(sent.get('name') ?? ''), name: '', ...read.body, image: picture.url }
    const outcome = await catchRefusal(posted.ask('createAdminCategory', { body: { category }, key: readKey(sent) }), [
      'category_not_found',
    ])
    if (!('refusal' in outcome)) return redirectWithToast(to('categories'), 'done.saved')
    return newSheet(posted, fields, values, problemsIn(posted, outcome, fields))
  },
}

function newSheet(visit: ScreenVisit, fields: readonly Field[], values: FieldValues, problems?: Problems): ScreenSheet {
  const { words, to } = visit
  return dialog({
    title: words.say('categories.new'),
    back: back(visit),
    ...(problems && { status: 400 }),
    body: renderForm(visit, {
      action: to('categories/new'),
      takesFiles: true,
      hidden: { image: values.image ?? '' },
      fields: fields.filter(isTyped),
      more: categoryPicture(visit, values),
      values,
      problems,
      submit: words.say('action.save'),
      cancel: to('categories'),
    }),
  })
}

// Adjusts the operation's pointers, which are below `/category`.
function problemsIn(
  { words }: ScreenVisit,
  { refusal }: Extract<Awaited<ReturnType<typeof catchRefusal>>, { refusal: unknown }>,
  fields: readonly Field[],
): Problems {
  const issues = (refusal.details.issues ?? []).map((issue) => ({
    ...issue,
    path: issue.path.replace('/category', ''),
  }))
  return problemsFromRefusal(
    words,
    Object.assign(Object.create(refusal), { details: { ...refusal.details, issues } }),
    fields,
  )
}

export const categoryScreen: Screen = {
  path: 'categories/:categoryId',
  name: 'dashboard category',
  place: 'products',
  needs: 'replaceAdminCategory',
  filesBytesMax,
  async get(visit) {
    const all = await listShopCategories(visit)
    const own = all.find(({ id }) => id === visit.path.categoryId)
    if (!own) return lost(visit)
    return oneSheet(visit, own, fieldsOf(visit, all, own), valuesIn(own))
  },
  async post(posted) {
    const { words, form: sent, to, path } = posted
    const expectedVersion = Number(sent.get('version'))
    // Removal comes before the category is loaded: a second press must get the answer of the first, which has removed the category.
    if (sent.get('do') === 'remove') return remove(posted, path.categoryId ?? '', expectedVersion)
    const all = await listShopCategories(posted)
    const own = all.find(({ id }) => id === path.categoryId)
    if (!own) return lost(posted)
    const fields = fieldsOf(posted, all, own)
    const read = buildBody(words, fields, sent)
    // Uses the version that this person opened, so later changes by others still cause a conflict.
    const seen = { ...own, version: expectedVersion }
    const picture = await pictureOf(posted)
    const values = { ...readTypedValues(fields, sent), image: picture.url ?? '' }
    const { problems: unread = 'problems' in read ? read.problems : undefined } = picture
    if (unread || 'problems' in read) return oneSheet(posted, seen, fields, values, unread)
    const category = { name: '', ...read.body, slug: own.category.slug, image: picture.url }
    const outcome = await catchRefusal(
      posted.ask('replaceAdminCategory', {
        path: { categoryId: own.id },
        body: { expectedVersion, category },
        key: readKey(sent),
      }),
      ['category_not_found'],
    )
    if (!('refusal' in outcome)) return redirectWithToast(to('categories'), 'done.saved')
    const problems = problemsIn(posted, outcome, fields)
    const isConflict = outcome.refusal.code === 'version_conflict'
    return oneSheet(posted, isConflict ? own : seen, fields, values, problems, isConflict)
  },
}

function lost({ to }: ScreenVisit) {
  return redirectWithRefusal(to('categories'), { code: 'category_not_found' })
}

function valuesIn({ category }: AdminCategory): FieldValues {
  const { name, parent, position = 0, description = '', image } = category
  return { name, parent: parent ?? '', position: String(position), description, image: image ?? '' }
}

function oneSheet(
  visit: ScreenVisit,
  own: CategoryNode,
  fields: readonly Field[],
  values: FieldValues,
  problems?: Problems,
  isConflict = false,
): ScreenSheet {
  const { words, to, may } = visit
  const present = valuesIn(own)
  const differing = fields.filter(({ name }) => (values[name] ?? '') !== (present[name] ?? ''))
  return dialog({
    title: own.category.name,
    back: back(visit),
    ...(problems && { status: isConflict ? 409 : 400 }),
    body: html`${renderForm(visit, {
      action: to(`categories/${own.id}`),
      takesFiles: true,
      hidden: { version: own.version, image: values.image ?? '' },
      fields: fields.filter(isTyped),
      more: categoryPicture(visit, values),
      values,
      problems,
      before:
        isConflict &&
        renderNotice(
          'info',
          html`${words.say('conflict.now')} ${differing.map(
            ({ name, label }) => html`<br>${label}: <strong dir="auto">${present[name] || '–'}</strong>`,
          )}`,
        ),
      submit: words.say('action.save'),
      cancel: to('categories'),
    })}
${
  may('removeAdminCategory') &&
  html`<div class="apart">${renderForm(visit, {
    action: to(`categories/${own.id}`),
    hidden: { version: own.version, do: 'remove' },
    fields: [],
    kind: 'plain',
    submit: words.say('categories.remove'),
  })}<p class="help">${words.say('categories.removeHelp')}</p></div>`
}`,
  })
}

async function remove(posted: PostedScreen, categoryId: string, expectedVersion: number) {
  const { form: sent, to } = posted
  const outcome = await catchRefusal(
    posted.ask('removeAdminCategory', { path: { categoryId }, body: { expectedVersion }, key: readKey(sent) }),
    ['category_not_found'],
  )
  return 'refusal' in outcome
    ? redirectWithRefusal(to('categories'), outcome.refusal)
    : redirectWithToast(to('categories'), 'done.removed')
}
