"""Common given names, so that "Anna Huber" is somebody, also where no text tells of an Anna."""

from __future__ import annotations

# None that is a common noun too, as "Rose" and "Mark" are.
_NAMES = """
adam adrian alexander alexandra alice alina amelie amy andrea andreas andrew angela anita anja anna anne annika
anthony anton antonia barbara bastian beate benjamin bernd bernhard birgit brigitte bruno carlos carmen caroline
catherine charlotte chris christian christina christine christoph claudia claus daniel daniela david deborah denise
dennis diana dieter dirk dominik doris edward elena elias elisabeth elizabeth ella emil emily emma eric erik erika
eva fabian felix ferdinand finn florian francesca frida friedrich gabriel gabriele georg george gerhard giulia
gregor gustav hanna hannah hannes hans heike heinrich heinz helen helena helga helmut henrik henry herbert hermann
hilde holger ines inge ingrid irene isabel isabella jacob jakob james jan jana jane janina jasmin jason jennifer
jens jessica joachim joanna johann johanna johannes john jonas jonathan jose josef joseph juan julia julian juliane
karin karl katharina kathrin katja katrin kerstin kevin klara klaus konrad kristina kurt lara laura lea lena leon
leonie linda lisa louis louise lucas lucia lucy ludwig luis luisa lukas luke magdalena manfred manuel manuela marco
marcus maria marie mario marion markus marta martha martin martina mary mathias matthew matthias max maximilian
melanie mia michael michaela miguel miriam monika moritz nadine nadja natalie nico nicole niklas nina nora norbert
oliver oskar otto pablo patricia patrick paul paula pedro peter petra philip philipp pia rachel rainer ralf rebecca
regina reinhard renate richard robert roland rolf rudolf ruth sabine samuel sandra sara sarah sebastian silke silvia
simon sofia sofie sonja sophia sophie stefan stefanie stephan stephanie steven susan susanne sven svenja tanja
teresa theo theresa thomas tim timo tina tobias tom torsten ulrich ulrike ursula uwe valentina vanessa vera verena
veronika victor victoria viktor vincent walter werner wilhelm wolfgang yvonne
"""
GIVEN_NAMES = frozenset(_NAMES.split())
