// Pictures of a product: chosen or dropped files become WebP of 1600, 640 and 160 pixels here, so no camera data and no decoder
// reaches the server. The rows are moved by buttons or by dragging; the form saves their order.

;(() => {
  const list = document.querySelector('[data-pictures]')
  const input = document.querySelector('[data-picture-input]')
  const drop = document.querySelector('[data-drop]')
  const row = document.getElementById('picture-row')
  if (!list || !input || !drop || !row) return

  const sides = [1600, 640, 160]
  const bytesMax = 1_048_576
  const said = document.querySelector('[data-picture-status]')
  const form = list.closest('form')
  let number = list.children.length
  let underWay = 0
  // Sends the form, once no picture is under way any more.
  let save = null

  input.addEventListener('change', () => {
    void take([...input.files])
    input.value = ''
  })
  for (const kind of ['dragover', 'dragleave', 'drop'])
    drop.addEventListener(kind, (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      drop.classList.toggle('over', kind === 'dragover')
      if (kind === 'drop') void take([...event.dataTransfer.files])
    })

  form.addEventListener('submit', (event) => {
    if (underWay === 0 || event.submitter?.formTarget === '_blank') return
    event.preventDefault()
    save = () => form.requestSubmit(event.submitter)
  })

  async function take(files) {
    const failed = []
    underWay += 1
    for (const [at, file] of files.entries()) {
      said.textContent = `${said.dataset.busy} ${at + 1}/${files.length}`
      try {
        add(await send(await sizesOf(file)))
      } catch (error) {
        failed.push(`${file.name}: ${error.shown ?? said.dataset.failed}`)
      }
    }
    underWay -= 1
    said.textContent = failed.join(' ')
    said.classList.toggle('wrong', failed.length > 0)
    // Not without a picture that one believes to be in it.
    if (failed.length > 0) save = null
    if (underWay > 0) return
    save?.()
    save = null
  }

  async function sizesOf(file) {
    const bitmap = await createImageBitmap(file)
    const longest = Math.max(bitmap.width, bitmap.height)
    const wanted = sides.filter((side, at) => at === 0 || side < longest)
    const sizes = []
    for (const side of wanted) sizes.push(await drawn(bitmap, Math.min(1, side / longest)))
    bitmap.close()
    return sizes
  }

  // Not every browser writes WebP.
  async function drawn(bitmap, scale) {
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(bitmap.width * scale))
    canvas.height = Math.max(1, Math.round(bitmap.height * scale))
    canvas.getContext('2d').drawImage(bitmap, 0, 0, canvas.width, canvas.height)
    for (const quality of [0.85, 0.7, 0.5, 0.3])
      for (const kind of ['image/webp', 'image/jpeg']) {
        const blob = await new Promise((resolve) => canvas.toBlob(resolve, kind, quality))
        if (blob?.type === kind && blob.size <= bytesMax) return blob
      }
    throw new Error('too large')
  }

  async function send(sizes) {
    const body = new FormData()
    body.append('key', crypto.randomUUID())
    for (const size of sizes) body.append('file', size, 'picture')
    const answer = await fetch(list.dataset.pictures, { method: 'POST', body })
    if (answer.headers.get('content-type') === 'application/json') {
      const read = await answer.json()
      if (answer.ok) return read
      throw Object.assign(new Error('refused'), { shown: read.message })
    }
    // A page: the session has ended, or too much is asked for.
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    throw Object.assign(new Error('refused'), { shown: page.querySelector('.lead, .empty-title')?.textContent })
  }

  function add({ url, width, height }) {
    const made = row.content.cloneNode(true).querySelector('[data-picture]')
    const at = number++
    for (const field of made.querySelectorAll('[name]')) field.name = field.name.replace('.N.', `.${at}.`)
    const set = (part, value) => {
      made.querySelector(`[name="image.${at}.${part}"]`).value = value
    }
    set('url', url)
    set('width', width)
    set('height', height)
    made.querySelector('img').src = url
    list.append(made)
    renumber()
    // Whoever types elsewhere goes on there.
    if (!form.contains(document.activeElement) || drop.contains(document.activeElement))
      made.querySelector('input[maxlength="500"]').focus()
  }

  // The order of the rows is what is sent.
  function renumber() {
    for (const [at, field] of [...list.querySelectorAll('[data-position]')].entries()) field.value = at + 1
    list.dispatchEvent(new Event('input', { bubbles: true }))
  }

  list.addEventListener('click', (event) => {
    const button = event.target.closest('[data-move]')
    if (!button) return
    const one = button.closest('[data-picture]')
    if (button.dataset.move === '-1') one.previousElementSibling?.before(one)
    else one.nextElementSibling?.after(one)
    renumber()
    button.focus()
  })

  let dragged = null
  list.addEventListener('dragstart', (event) => {
    dragged = event.target.closest('[data-picture]')
  })
  list.addEventListener('dragover', (event) => {
    const over = event.target.closest('[data-picture]')
    if (!dragged || !over || over === dragged) return
    event.preventDefault()
    const isAfter = dragged.compareDocumentPosition(over) & Node.DOCUMENT_POSITION_FOLLOWING
    if (isAfter) over.after(dragged)
    else over.before(dragged)
  })
  list.addEventListener('dragend', () => {
    if (dragged) renumber()
    dragged = null
  })
})()
