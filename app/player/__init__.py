"""What the canvas pictures share: a player with its controls, a pen that remembers every text box, colours and number formats.

A picture is a folder of scripts that define `openFilm(payload)`; `player.js` says what a film answers to.
"""
