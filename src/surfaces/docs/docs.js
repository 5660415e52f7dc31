// The API page's comforts: filter, copy, and links that open what they point at. The page is whole without them.

const operations = [...document.querySelectorAll('.operation')]
const groups = [...document.querySelectorAll('.group')]
const none = document.querySelector('.none')
const filter = document.querySelector('.filter')
const input = filter.querySelector('input')

const applyFilter = () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  for (const operation of operations) operation.hidden = !words.every((word) => operation.dataset.search.includes(word))
  for (const group of groups) {
    const shown = group.querySelectorAll('.operation:not([hidden])').length
    group.hidden = shown === 0
    document.querySelector(`nav [data-noun="${CSS.escape(group.dataset.noun)}"] .count`).textContent = shown
  }
  const first = groups.find((group) => !group.hidden)
  none.hidden = first !== undefined
  if (words.length > 0) (first ?? none).scrollIntoView({ behavior: 'instant' })
}

const openTarget = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target instanceof HTMLDetailsElement) target.open = true
}

const addCopyButton = (figure) => {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.setAttribute('aria-label', `Copy ${figure.querySelector('figcaption').textContent}`)
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(figure.querySelector('pre').textContent)
      button.textContent = 'Copied'
    } catch {
      // A browser gives the clipboard to secure pages only: the text is selected for the reader to copy.
      getSelection().selectAllChildren(figure.querySelector('pre'))
      button.textContent = 'Selected'
    }
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
  figure.append(button)
}

filter.hidden = false
input.addEventListener('input', applyFilter)
addEventListener('hashchange', openTarget)
addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault()
    input.focus()
  } else if (event.key === 'Escape' && document.activeElement === input) {
    input.value = ''
    applyFilter()
    input.blur()
  }
})
for (const figure of document.querySelectorAll('.code')) addCopyButton(figure)
openTarget()
