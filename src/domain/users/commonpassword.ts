// Passwords that attackers guess first. The words were chosen for this project, from those that published lists of leaked passwords have
// in common. A few hundred suffice instead of a million, because a password is checked without its digits, signs and capitals, and with
// the letters that digits stand for.

const words = new Set(
  `abc access account action active admin administrator adobe alex alexander amanda america andrea andrew angel angela animal
  anna anthony apple april arsenal asdf asdfg asdfgh asdfghjkl ashley august austin autumn baby badboy bailey banana barcelona
  baseball basketball batman beautiful beauty best biteme blink blue boomer boss brandon buster butterfly camaro canada captain
  carlos cartwright casino charlie cheese chelsea chester chicken chocolate chris christ christian christmas cocacola coffee
  company compaq computer cookie corvette cowboy cowboys customer dallas daniel david december default diamond dog doctor dolphin
  donald dragon eagle eagles edward eminem england enter everton example family february ferrari fire flower flowers football
  forever freedom friday friend friends fuck fuckyou gandalf garden george gemini ginger girl god golden golf google guest guitar
  hacker hammer hannah happy hardcore harley harry heaven hello help henry hockey home honda honey horse hotdog house hunter
  iceman iloveu iloveyou internet ironman january jasmine jennifer jessica jesus jordan joseph joshua july june junior justin
  killer king kitten lakers letmein lifehack linkedin lion liverpool login london love lovely loveme loverboy lovers lucky maggie
  magic manager march marina mario market marlboro martin marvin master matrix matthew maverick melissa merchant mercedes michael
  michelle mickey minecraft money monday monkey monster mother mountain music mustang myspace naruto nathan newyork nicole ninja
  nirvana november october office oliver orange pass passcode passw password pepper phoenix player please pokemon porsche power
  princess private purple qazwsx qazwsxedc qwe qwer qwert qwerty qwertyu qwertyui qwertyuiop qwertz qwertzuiop rachel rainbow
  ranger rangers raider red robert rock rocket root samantha samsung saturday scooter secret secure security september server
  service shadow shop silver single slipknot snoopy soccer sophie sparky spiderman spring star starwars steelers stella steven
  store student summer sunday sunshine super superman superstar support system taylor team temp tennis test tester testing thomas
  thunder thursday tiger tigger tinkerbell trust trustno tuesday user victoria viking vip warrior wednesday welcome whatever william
  wilson winner winter wizard wolf woaini yankees yellow you zaq zaqwsx zxcvb zxcvbn zxcvbnm`.split(/\s+/),
)

// A password with more words than this is a passphrase.
const wordsMax = 3

export function isCommonPassword(password: string): boolean {
  const text = password.normalize('NFKC').toLowerCase()
  return isPattern(text) || isMadeOfWords(lettersOf(text)) || isMadeOfWords(text.replaceAll(/[^a-z]/g, ''))
}

// Whether the text has few different steps from one character to the next, such as 1234567890 and aaaabbbbcd, repeats one short text, or
// follows a keyboard pattern.
function isPattern(text: string): boolean {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0)
  const steps = new Set(codes.slice(1).map((code, i) => code - (codes[i] ?? 0)))
  if (steps.size < 4 || /^(.{1,6})\1+.{0,5}$/su.test(text)) return true
  return keyboardWays.some((way) => text.replaceAll(/[^a-z0-9]/g, '').startsWith(way))
}

const keyboardWays = ['1q2w3e4r', 'q1w2e3r4', '1qaz2wsx', 'zaq12wsx', 'qazwsx', 'qwertyui', 'asdfghjk', 'zxcvbnm']

// Returns only letters: drops digits and signs at the beginning and the end, replaces others that stand for letters, and drops the rest.
function lettersOf(text: string): string {
  const meant = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's', '!': 'i' } as const
  const core = text.replace(/[\d\W_]+$/u, '').replace(/^[\d\W_]+/u, '')
  return core.replaceAll(/[013457@$!]/g, (sign) => meant[sign as keyof typeof meant]).replaceAll(/[^a-z]/g, '')
}

// Whether the text consists of one to three common words, one after the other.
function isMadeOfWords(letters: string, wordsLeft = wordsMax): boolean {
  if (letters === '') return wordsLeft < wordsMax
  if (wordsLeft === 0) return false
  for (let length = Math.min(letters.length, 13); length >= 2; length -= 1) {
    if (words.has(letters.slice(0, length)) && isMadeOfWords(letters.slice(length), wordsLeft - 1)) return true
  }
  return false
}
