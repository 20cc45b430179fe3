// What an operator types to run a command. In a clone, npm finds a Node that can run it; the npm package has its own command, and
// JavaScript instead of TypeScript.

const isPackage = import.meta.filename.endsWith('.js')

export const program = isPackage ? 'cartwright' : 'npm run -s cartwright --'

export const startCommand = isPackage ? 'cartwright serve' : 'npm start'
