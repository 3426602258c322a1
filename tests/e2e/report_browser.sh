# A report in a real browser, with scripts switched off: no message on the
# console, every chart drawn, other colours in the dark, several pages on paper.
. "$TESTS/e2e/lib"
browser=$(command -v chromium || command -v chromium-browser) ||
	skip "no chromium here (apt-get install chromium)"
command -v gnuplot >/dev/null || skip "no gnuplot here"
run 0 --drive constant:14.5GB/s,80us -n 2 --odirect --results-dir r \
	-p dataset.num_files_train=280 -p train.epochs=2
expect 0 stoker report r --compare -o page.html
# a sandboxed frame runs no script
cat >frame.html <<-'END'
	<!DOCTYPE html><title>frame</title><style>html{color-scheme:light dark}
	iframe{border:0;width:980px;height:1450px}</style>
	<iframe sandbox src="page.html"></iframe>
END
open_page() { # FILE OPTION...
	local file=$1
	shift
	# no network: every name fails to resolve
	timeout 60 "$browser" --headless --no-sandbox --disable-gpu \
		--hide-scrollbars --user-data-dir="$PWD/profile" \
		--host-resolver-rules="MAP * ~NOTFOUND" \
		--enable-logging=stderr --window-size=1000,1500 "$@" \
		"file://$PWD/$file" >browser.out 2>browser.err ||
		fail "the browser: $(tail -n 3 browser.err)"
	! grep CONSOLE browser.err || fail "messages on the console"
}
open_page page.html --dump-dom
[ "$(grep -c '</svg>' browser.out)" = "$(grep -c '</svg>' page.html)" ] ||
	fail "charts of the page and of the file differ"
grep -q '<p class="verdict good">PASS' browser.out || fail "no verdict"
# a screenshot may be taken before the frame is there: then once more
picture() { # NAME OPTION...
	local name=$1 i
	shift
	for i in 1 2 3 4; do
		open_page frame.html --screenshot="$PWD/$name.png" "$@"
		[ "$(stat -c %s $name.png)" -gt 50000 ] && return
	done
	fail "$name.png is empty"
}
picture light
picture dark --force-dark-mode
! cmp -s light.png dark.png || fail "the dark page is the light one"
open_page page.html --print-to-pdf="$PWD/page.pdf"
head -c 5 page.pdf | grep -q '%PDF-' || fail "no paper"
