// The page has this button.
;(document.getElementById('print') as HTMLElement).onclick = () => print()
